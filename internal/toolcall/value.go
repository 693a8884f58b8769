package toolcall

import (
	"math/big"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
	"hyperstudy-endpoint/internal/lazyregexp"
	"hyperstudy-endpoint/internal/openai"
)

// retype makes ed give the value a type that is wanted, if the value itself
// says it in another form.
func (m *mender) retype(ed *edit, v *jsonschema.Violation) bool {
	want := v.Schema.Types.Kinds
	ed.retypes = true
	switch n := ed.target; {
	case n.Kind == jsontree.Null:
		return m.dropNull(ed, v.Path)
	case n.Kind == jsontree.Number && want&jsontree.Number != 0: // an integer is wanted
		ed.retypes = false
		return m.denoise(ed, big.NewRat(1, 1))
	case n.Kind == jsontree.Number && want&jsontree.String != 0:
		return quoteNumber(ed, v.Options())
	case n.Kind != jsontree.String || !m.pay(parsing(n.Text)):
		return false
	case want&jsontree.Number != 0 && jsontree.IsNumber(n.Text):
		ed.text, ed.code = n.Text, MendNumberString
	case want&jsontree.Boolean != 0 && (n.Text == "true" || n.Text == "false"):
		ed.text, ed.code = n.Text, MendBooleanString
	default:
		text, ok := undouble(n.Text, want&(jsontree.Array|jsontree.Object))
		ed.text, ed.code = text, MendDoubleEncoded
		return ok
	}
	return true
}

// plainNumber matches numbers that everybody writes alike: no exponent, no
// trailing zeros, no negative zero.
var plainNumber = lazyregexp.New(`^(?:0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9])$`)

// quoteNumber makes ed write a number as the string that is wanted. Where
// options are listed it has to be one of them as it stands.
func quoteNumber(ed *edit, options []*jsontree.Node) bool {
	literal := ed.target.Text
	if options == nil && !plainNumber().MatchString(literal) {
		return false
	}
	if options != nil && !holdsString(options, literal) {
		return false
	}
	ed.text, ed.code, ed.retypes = `"`+literal+`"`, MendStringNumber, true
	return true
}

func holdsString(options []*jsontree.Node, s string) bool {
	return slices.ContainsFunc(options, func(o *jsontree.Node) bool { return o.Kind == jsontree.String && o.Text == s })
}

// maxEncodings is how often a value may have been encoded as a JSON string.
const maxEncodings = 3

// undouble decodes text that is the JSON encoding of a value of a wanted kind,
// or of a string that holds such an encoding.
func undouble(text string, want jsontree.Kind) (string, bool) {
	if want == 0 {
		return "", false
	}
	for range maxEncodings {
		d, bad := jsontree.Parse(text, answerLimits)
		switch {
		case bad != nil:
			return "", false
		case d.Root.Kind&want != 0:
			return text, true
		case d.Root.Kind != jsontree.String:
			return "", false
		}
		text = d.Root.Text
	}
	return "", false
}

// pickOption makes ed say the one option that the value says in another form.
func (m *mender) pickOption(ed *edit, v *jsonschema.Violation) bool {
	n, options := ed.target, v.Options()
	kinds := jsonschema.KindsOf(options)
	switch {
	case n.Kind == jsontree.Null && kinds&jsontree.Null == 0:
		return m.dropNull(ed, v.Path)
	case n.Kind == jsontree.Number && kinds&jsontree.Number == 0:
		return quoteNumber(ed, options)
	case n.Kind != jsontree.String:
		return false
	case kinds&jsontree.String == 0:
		return retypeOption(ed, options)
	}
	if !m.payOptions(n.Text, options) {
		return false
	}
	option, stage, ok := matchOption(n.Text, options)
	if !ok {
		return false
	}
	quoted, err := openai.Marshal(option)
	ed.text, ed.code, ed.stage = string(quoted), MendEnumMatch, stage
	return err == nil
}

// retypeOption makes ed write a string as one of the options, which are all of
// other types.
func retypeOption(ed *edit, options []*jsontree.Node) bool {
	ed.retypes = true
	s := ed.target.Text
	for _, o := range options {
		switch o.Kind {
		case jsontree.Number:
			if jsontree.IsNumber(s) && jsontree.Normal(s) == jsontree.Normal(o.Text) {
				ed.text, ed.code = s, MendNumberString
				return true
			}
		case jsontree.Boolean:
			if s == o.Text {
				ed.text, ed.code = s, MendBooleanString
				return true
			}
		default: // is not written as itself in quotation marks
		}
	}
	return false
}

// payOptions pays for matchOption.
func (m *mender) payOptions(text string, options []*jsontree.Node) bool {
	length := len(text)
	for _, o := range options {
		length += len(o.Text)
	}
	return m.pay(1 + len(options)/4 + length/16)
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
func matchOption(s string, options []*jsontree.Node) (option string, stage int, ok bool) {
	option, stage, found := matchStages(s, options)
	if found == 0 {
		d, bad := jsontree.Parse(s, answerLimits)
		if bad != nil || d.Root.Kind != jsontree.String {
			return "", 0, false
		}
		if holdsString(options, d.Root.Text) {
			return d.Root.Text, quotedStage, true
		}
		option, stage, found = matchStages(d.Root.Text, options)
		stage += quotedStage
	}
	return option, stage, found == 1
}

// quotedStage is the stage of an option that was found in quotes.
const quotedStage = 4

func matchStages(s string, options []*jsontree.Node) (option string, stage, found int) {
	for i := range len(optionForms) + 1 {
		form := optionForms[min(i, len(optionForms)-1)]
		want := form(s)
		for _, o := range options {
			if o.Kind != jsontree.String {
				continue
			}
			candidate := o.Text
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
func (m *mender) denoise(ed *edit, step *big.Rat) bool {
	const bits = 27 // of 10 to the power of maxStepDigits
	if step.Denom().BitLen() > bits || !m.pay(5+len(ed.target.Text)/8) {
		return false
	}
	if digits, exact := step.FloatPrec(); ed.target.Kind != jsontree.Number || step.Sign() <= 0 || !exact || digits > maxStepDigits {
		return false
	}
	v := ed.target.Rat()
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
	if !exact || digits > jsontree.MaxExponent {
		return "", false
	}
	s := r.FloatString(digits)
	return s, len(s) <= jsontree.MaxNumberLength
}
