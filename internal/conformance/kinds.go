package conformance

import "slices"

// A kind is one kind of question that a screen can have.
type kind struct {
	id, title   string
	requirement string
	component   string // the name of the component in HyperStudy
	question    string
	schema      string // of the value
	example     string // a value that satisfies it
}

// kinds follow the components of HyperStudy that agents can answer. Only the
// schema of the first is published; the others are what the components' settings
// ask for.
var kinds = []kind{
	{"rating", "rating scale", "A rating is a number within the limits of the scale.",
		"vasrating", "How close do you feel to the person in the story? 0 = not at all, 100 = very close.",
		`{"type":"number","minimum":0,"maximum":100,"description":"A rating from 0 to 100."}`, `62.5`},
	{"steps", "rating scale in steps of 0.1", "A rating on a scale with steps keeps to them, in decimals and not in binary fractions.",
		"vasrating", "How loud was the sound, from -5 to 5, in tenths?",
		`{"type":"number","minimum":-5,"maximum":5,"multipleOf":0.1}`, `-2.3`},
	{"likert", "Likert scale", "The answer on a Likert scale is a whole number, one of its points.",
		"likertscale", "I like to try new food. 1 = not true at all, 7 = entirely true.",
		`{"type":"integer","minimum":1,"maximum":7}`, `5`},
	{"choice", "multiple choice", "The option chosen is one of those offered, to the letter.",
		"multiplechoice", "The last train is about to leave and you have no ticket. What do you do?",
		`{"type":"string","enum":["Wait for the morning","Ask the guard","Get in without one","Walk home"]}`, `"Ask the guard"`},
	{"choices", "multiple choice, several answers", "Several options come as an array, each offered, none twice, and as many as allowed.",
		"multiplechoice", "Which of these did you do last week? Choose one to three.",
		`{"type":"array","items":{"type":"string","enum":["Sport","Cinema","Museum","Concert","None of these"]},"minItems":1,"maxItems":3,"uniqueItems":true}`,
		`["Sport","Museum"]`},
	{"lookalikes", "multiple choice, labels nearly alike", "Options that differ in case, accents, spaces or quotation marks are not mistaken for each other.",
		"multiplechoice", "Which spelling do you see on the sign?",
		`{"type":"string","enum":["Cafe","cafe","Café","CAFÉ","Cafe ","1","1.0","“Cafe”"]}`, `"Café"`},
	{"text", "text input", "A text keeps its lines, quotation marks and emoji, within its length in characters.",
		"textinput", "Describe your last journey in two or three sentences, and quote what somebody said.",
		`{"type":"string","minLength":1,"maxLength":500}`, `"By train.\nShe said: \"At last!\" 🚆"`},
	{"number", "text input, number", "A number typed into a field keeps to its limits and step.",
		"textinput", "How many hours did you sleep last night? In half hours.",
		`{"type":"number","minimum":0,"exclusiveMaximum":24,"multipleOf":0.5}`, `7.5`},
	{"email", "text input, e-mail", "A field for an e-mail address gets one.",
		"textinput", "Which e-mail address should the (invented) receipt go to?",
		`{"type":"string","format":"email","maxLength":100}`, `"ada@example.org"`},
	{"ranking", "ranking", "A ranking holds every item once.",
		"ranking", "Put the seasons in your order, the one you like best first.",
		`{"type":"array","items":{"type":"string","enum":["spring","summer","autumn","winter"]},"minItems":4,"maxItems":4,"uniqueItems":true}`,
		`["autumn","spring","winter","summer"]`},
	{"rapid", "rapid rating", "A rapid rating has every dimension by its label; None is null, and not 0 or a word.",
		"rapidrate", "How much of each feeling does the music have, 0 to 100? None where it does not apply.",
		`{"type":"object","properties":{"Calm":` + rapidItem + `,"Joy / delight":` + rapidItem + `,"悲しみ":` + rapidItem + `},` +
			`"required":["Calm","Joy / delight","悲しみ"],"additionalProperties":false}`, `{"Calm":40,"Joy / delight":null,"悲しみ":7.25}`},
	{"questionnaire", "questionnaire", "A page of several questions is answered in all its parts, nested and in lists, with nothing added.",
		"questionnaire", "Last page: your years at school, your diet, your way to work, the languages you speak, and a remark if you like.",
		`{"type":"object","properties":{"school":{"type":"integer","minimum":0,"maximum":30},"diet":{"type":"string","enum":["anything","vegetarian","vegan"]},` +
			`"way":{"type":"object","properties":{"minutes":{"type":"number","minimum":0,"maximum":240,"multipleOf":2.5},"crowded":{"type":"boolean"}},` +
			`"required":["minutes","crowded"],"additionalProperties":false},` +
			`"languages":{"type":"array","minItems":1,"maxItems":4,"items":{"type":"object","properties":{"name":{"type":"string","minLength":2},` +
			`"level":{"type":"integer","minimum":1,"maximum":6}},"required":["name","level"],"additionalProperties":false}},"remark":{"type":"string","maxLength":200}},` +
			`"required":["school","diet","way","languages"],"additionalProperties":false}`,
		`{"school":12,"diet":"vegan","way":{"minutes":17.5,"crowded":false},"languages":[{"name":"Czech","level":6}]}`},
	{"consent", "yes or no", "Yes or no is true or false.",
		"instructions", "Have you read the instructions and understood them?",
		`{"type":"boolean"}`, `true`},
	{"sparse", "rating during a video", "A rating that may be left open is a number or null.",
		"sparserating", "The video is paused. How tense is the scene now? null if you cannot tell.",
		`{"type":["number","null"],"minimum":0,"maximum":100}`, `71`},
	{"structured", "form with complex rules", "References, alternatives, constants, patterns and tuples in a schema count like all else.",
		"form", "When and where do you want to meet? Either a place, or a link to a call.",
		`{"type":"object","properties":{"version":{"const":2},"day":{"type":"string","pattern":"^(Mon|Tue|Wed|Thu|Fri)$"},"span":{"type":"array","prefixItems":[` + hour + `,` + hour + `],"items":false,"minItems":2},` +
			`"where":{"oneOf":[{"type":"object","properties":{"place":{"type":"string","minLength":1}},"required":["place"],"additionalProperties":false},` +
			`{"type":"object","properties":{"call":{"type":"boolean"}},"required":["call"],"additionalProperties":false}]}},` +
			`"required":["version","day","span","where"],"additionalProperties":false}`,
		`{"version":2,"day":"Tue","span":[9,17],"where":{"place":"library"}}`},
}

const (
	rapidItem = `{"anyOf":[{"type":"number","minimum":0,"maximum":100},{"type":"null"}],"description":"0 to 100, or null for None."}`
	hour      = `{"$ref":"#/$defs/hour"}`
	hourDef   = `"$defs":{"hour":{"type":"integer","minimum":0,"maximum":23}}`
)

// tool is the tool that answers the question.
func (k kind) tool() Tool {
	t := submitTool(k.component, k.schema)
	if k.id == "structured" {
		t.Parameters = append([]byte("{"+hourDef+","), t.Parameters[1:]...)
	}
	return t
}

// screen describes the question as HyperStudy describes a screen.
func (k kind) screen() string {
	return "Screen: a question is waiting for your answer.\nComponent: " + k.component + "\nQuestion: " + k.question + "\n"
}

// kindOf is the kind of an id that is known.
func kindOf(id string) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.id == id })]
}
