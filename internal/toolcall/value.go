package toolcall

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/unicode/norm"

	"hyperstudy-endpoint/internal/openai"
)

// retype makes ed give the value a type that is wanted, if the value itself
// says it in another form.
func (m *mender) retype(ed *edit, e *jsonschema.ValidationError, sch *jsonschema.Schema, want valueKind) bool {
	ed.retypes = true
	switch n := ed.target; {
	case n.kind == kindNull:
		return m.dropNull(ed, e.InstanceLocation)
	case n.kind == kindNumber && want&kindNumber != 0: // an integer is wanted
		ed.retypes = false
		return denoise(ed, big.NewRat(1, 1))
	case n.kind == kindNumber && want&kindString != 0:
		return quoteNumber(ed, optionsOf(sch))
	case n.kind != kindString:
		return false
	case want&kindNumber != 0 && isNumber(n.text):
		ed.text, ed.code = n.text, MendNumberString
	case want&kindBoolean != 0 && (n.text == "true" || n.text == "false"):
		ed.text, ed.code = n.text, MendBooleanString
	default:
		text, ok := undouble(n.text, want&(kindArray|kindObject))
		ed.text, ed.code = text, MendDoubleEncoded
		return ok
	}
	return true
}

// optionsOf returns the options that sch itself lists, and nil if it lists none.
func optionsOf(sch *jsonschema.Schema) []any {
	switch {
	case sch.Enum != nil:
		return sch.Enum.Values
	case sch.Const != nil:
		return []any{*sch.Const}
	}
	return nil
}

// plainNumber matches numbers that everybody writes alike: no exponent, no
// trailing zeros, no negative zero.
var plainNumber = lazily(`^(?:0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9])$`)

// quoteNumber makes ed write a number as the string that is wanted. Where
// options are listed it has to be one of them as it stands.
func quoteNumber(ed *edit, options []any) bool {
	literal := ed.target.text
	if options == nil && !plainNumber().MatchString(literal) {
		return false
	}
	if options != nil && !holdsString(options, literal) {
		return false
	}
	ed.text, ed.code, ed.retypes = `"`+literal+`"`, MendStringNumber, true
	return true
}

func holdsString(options []any, s string) bool {
	for _, o := range options {
		if o == any(s) {
			return true
		}
	}
	return false
}

// maxEncodings is how often a value may have been encoded as a JSON string.
const maxEncodings = 3

// undouble decodes text that is the JSON encoding of a value of a wanted kind,
// or of a string that holds such an encoding.
func undouble(text string, want valueKind) (string, bool) {
	if want == 0 {
		return "", false
	}
	for range maxEncodings {
		d, bad := parse(text, answerLimits)
		switch {
		case bad != nil:
			return "", false
		case d.root.kind&want != 0:
			return text, true
		case d.root.kind != kindString:
			return "", false
		}
		text = d.root.text
	}
	return "", false
}

// pickOption makes ed say the one option that the value says in another form.
func (m *mender) pickOption(ed *edit, e *jsonschema.ValidationError, options []any) bool {
	n, kinds := ed.target, kindsOf(options)
	switch {
	case n.kind == kindNull && kinds&kindNull == 0:
		return m.dropNull(ed, e.InstanceLocation)
	case n.kind == kindNumber && kinds&kindNumber == 0:
		return quoteNumber(ed, options)
	case n.kind != kindString:
		return false
	case kinds&kindString == 0:
		return retypeOption(ed, options)
	}
	option, stage, ok := matchOption(n.text, options)
	if !ok {
		return false
	}
	quoted, err := openai.Marshal(option)
	ed.text, ed.code, ed.stage = string(quoted), MendEnumMatch, stage
	return err == nil
}

// retypeOption makes ed write a string as one of the options, which are all of
// other types.
func retypeOption(ed *edit, options []any) bool {
	ed.retypes = true
	s := ed.target.text
	number := isNumber(s)
	for _, o := range options {
		switch v := o.(type) {
		case json.Number:
			if number && equal(&node{kind: kindNumber, text: s}, &node{kind: kindNumber, text: v.String()}) {
				ed.text, ed.code = s, MendNumberString
				return true
			}
		case bool:
			if s == "true" && v || s == "false" && !v {
				ed.text, ed.code = s, MendBooleanString
				return true
			}
		}
	}
	return false
}

// optionForms are the forms in which a string is compared with the options,
// the strictest first.
var optionForms = []func(string) string{
	norm.NFC.String,
	func(s string) string { return strings.TrimSpace(norm.NFC.String(s)) },
}

// matchOption finds the one option that s is equal to after NFC, after NFC and
// trimming, or after these and case folding. The first of these stages at which
// any option is equal decides: a stage with several matches has none. If no stage
// matches and s is itself a quoted JSON string, what is quoted is looked for.
func matchOption(s string, options []any) (option string, stage int, ok bool) {
	option, stage, found := matchStages(s, options)
	if found == 0 {
		d, bad := parse(s, answerLimits)
		if bad != nil || d.root.kind != kindString {
			return "", 0, false
		}
		if holdsString(options, d.root.text) {
			return d.root.text, quotedStage, true
		}
		option, stage, found = matchStages(d.root.text, options)
		stage += quotedStage
	}
	return option, stage, found == 1
}

// quotedStage is the stage of an option that was found in quotes.
const quotedStage = 4

func matchStages(s string, options []any) (option string, stage, found int) {
	for i := range len(optionForms) + 1 {
		form := optionForms[min(i, len(optionForms)-1)]
		want := form(s)
		for _, o := range options {
			candidate, isString := o.(string)
			if !isString {
				continue
			}
			have := form(candidate)
			same := have == want || i == len(optionForms) && strings.EqualFold(have, want)
			if same && (found == 0 || candidate != option) {
				option = candidate
				found++
			}
		}
		if found > 0 {
			return option, i, found
		}
	}
	return "", 0, 0
}

// maxStepDigits is how many decimals of a step are taken for all that it has. A
// fraction that is cut off there differs by more than noise does.
const maxStepDigits = 8

// denoise makes ed write the multiple of step that the number misses by no more
// than binary floating point does. It never rounds: the difference allowed is a
// billionth of the step, and at most a billionth. A step of more than maxStepDigits
// decimals is a fraction that was cut off, such as 1/3: its multiples are not what
// the scale means, and 1 would miss one of them by as little.
func denoise(ed *edit, step *big.Rat) bool {
	if digits, exact := step.FloatPrec(); ed.target.kind != kindNumber || step.Sign() <= 0 || !exact || digits > maxStepDigits {
		return false
	}
	v := ed.target.rat()
	half := new(big.Rat).SetFrac64(1, 2)
	count := new(big.Rat).Add(new(big.Rat).Quo(v, step), half)
	floor := new(big.Int).Div(count.Num(), count.Denom()) // Euclidean: the denominator is positive
	nearest := new(big.Rat).Mul(new(big.Rat).SetInt(floor), step)
	noise := new(big.Rat).Sub(v, nearest)
	noise.Abs(noise)
	allowed := new(big.Rat).SetFrac64(1, 1_000_000_000)
	if step.Cmp(big.NewRat(1, 1)) < 0 {
		allowed.Mul(allowed, step)
	}
	if noise.Sign() == 0 || noise.Cmp(allowed) > 0 {
		return false
	}
	text, ok := decimal(nearest)
	ed.text, ed.code = text, MendFloatNoise
	return ok
}

// decimal writes a number in full, and reports false if that takes too many digits.
func decimal(r *big.Rat) (string, bool) {
	digits, exact := r.FloatPrec()
	if !exact || digits > maxExponent {
		return "", false
	}
	s := r.FloatString(digits)
	return s, len(s) <= maxNumberLength
}
