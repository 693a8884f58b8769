package schematest

import "strings"

// An exception is what the validator does otherwise than the suite says. An empty
// text stands for all dialects, groups or cases.
type exception struct {
	dialect, file, group string
	but                  string // a part of the names of groups that it is not about
	test                 string // or a part of it
	invalid              bool   // only the cases that the suite calls invalid
	reason               string
}

// refused are the groups of the suite whose schemas are refused.
var refused = []exception{
	{file: "refRemote.json", reason: elsewhere},
	{file: "ref.json", group: "remote ref, containing refs itself", reason: metaschemas},
	{file: "definitions.json", group: "validate definition against metaschema", reason: metaschemas},
	{file: "defs.json", group: "validate definition against metaschema", reason: metaschemas},
	{file: "optional/cross-draft.json", group: "refs to historic drafts are processed as historic drafts", reason: elsewhere},
	{file: "optional/cross-draft.json", group: "refs to future drafts are processed as future drafts", reason: elsewhere},
	{file: "if-then-else.json", group: "skip then when if is false", reason: elsewhere + ", nor where nothing leads to the reference"},
	{file: "if-then-else.json", group: "skip else when if is true", reason: elsewhere + ", nor where nothing leads to the reference"},

	{file: "dynamicRef.json", but: "A $ref to a $dynamicAnchor in", reason: dynamic},
	{file: "optional/dynamicRef.json", reason: dynamic},
	{file: "recursiveRef.json", reason: dynamic},
	{file: "unevaluatedItems.json", group: "unevaluatedItems with $dynamicRef", reason: dynamic},
	{file: "unevaluatedItems.json", group: "unevaluatedItems with $recursiveRef", reason: dynamic},
	{file: "unevaluatedProperties.json", group: "unevaluatedProperties with $dynamicRef", reason: dynamic},
	{file: "unevaluatedProperties.json", group: "unevaluatedProperties with $recursiveRef", reason: dynamic},

	{file: "infinite-loop-detection.json", group: "guard against infinite recursion", reason: "references in a circle are a fault of the schema, not of each value"},
	{file: "mixed-dialects.json", group: "draft4", reason: embedded},
	{file: "mixed-dialects.json", group: "subschema without applicator", reason: vocabularies},
	{file: "vocabulary.json", group: "using keywords from disabled vocabulary", reason: vocabularies},
}

// otherwise are the cases about which the validator says the opposite.
var otherwise = []exception{
	{file: "format.json", but: "idn-", test: "is only an annotation by default", reason: "formats are asserted in all dialects"},
	{file: "optional/format/idn-email.json", invalid: true, reason: "not one of the known formats"},
	{file: "optional/format/idn-hostname.json", invalid: true, reason: "not one of the known formats"},
	{file: "optional/format/email.json", group: "validation of duration strings", test: "tab ok if quoted", reason: "RFC 5321 has no tabs, also not in quotes"},
	{file: "optional/format/email.json", group: "validation of duration strings", test: "backslash inside quoted", reason: "RFC 5321 has quoted pairs"},
	{file: "optional/ecmascript-regex.json", group: `\a is not an ECMA 262 control escape`, reason: "whether other escapes than ECMA-262's are any is not judged"},
	{file: "optional/zeroTerminatedFloats.json", test: "a float is not an integer even without fractional part", reason: "1.0 is an integer in all dialects, as it is from draft-06 on"},
	{dialect: "draft7", file: "optional/content.json", invalid: true, reason: "content keywords are not asserted"},
	{file: "optional/contentSchema.json", invalid: true, reason: "content keywords are not asserted"},
	{file: "mixed-dialects.json", group: "draft2012", test: "invalid", reason: embedded},
	{file: "vocabulary.json", test: "no validation: invalid number, but it still validates", reason: vocabularies},
}

const (
	elsewhere    = "nothing is loaded from elsewhere"
	metaschemas  = "the metaschemas are elsewhere, from where nothing is loaded"
	dynamic      = "$dynamicRef and $recursiveRef are not supported"
	embedded     = "a part of another dialect has to be identified as the dialect around it has it"
	vocabularies = "$vocabulary is ignored, and an unknown dialect counts as the newest one"
)

// excepted returns the exceptions of the list that are about a case.
func excepted(list []exception, dialect, file, group, test string, valid bool) (found []*exception) {
	for i := range list {
		e := &list[i]
		if (e.dialect == "" || e.dialect == dialect) && e.file == file && (e.group == "" || e.group == group) &&
			(e.but == "" || !strings.Contains(group, e.but)) && strings.Contains(test, e.test) && (!e.invalid || !valid) {
			found = append(found, e)
		}
	}
	return found
}
