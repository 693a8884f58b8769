package conformance

import "slices"

// A kind is one kind of question that a screen can have.
type kind struct {
	id, title string
	component string // the name of the component in HyperStudy
	question  string
	schema    string // of the value
	example   string // a value that satisfies it
}

// kinds follow the components of HyperStudy that agents can answer. Only the
// schema of the first is published; the others are what the components' settings
// ask for.
var kinds = []kind{
	{"rating", "rating scale", "vasrating", "How close do you feel to the person in the story? 0 = not at all, 100 = very close.",
		`{"type":"number","minimum":0,"maximum":100,"description":"A rating from 0 to 100."}`, `62.5`},
	{"steps", "rating scale in steps of 0.1", "vasrating", "How loud was the sound, from -5 to 5, in tenths?",
		`{"type":"number","minimum":-5,"maximum":5,"multipleOf":0.1}`, `-2.3`},
	{"likert", "Likert scale", "likertscale", "I like to try new food. 1 = not true at all, 7 = entirely true.",
		`{"type":"integer","minimum":1,"maximum":7}`, `5`},
	{"choice", "multiple choice", "multiplechoice", "You find a wallet in the street. What do you do?",
		`{"type":"string","enum":["Leave it there","Take it to the police","Look for the owner","Keep it"]}`, `"Look for the owner"`},
	{"choices", "multiple choice, several answers", "multiplechoice", "Which of these did you do last week? Choose one to three.",
		`{"type":"array","items":{"type":"string","enum":["Sport","Cinema","Museum","Concert","None of these"]},"minItems":1,"maxItems":3,"uniqueItems":true}`,
		`["Sport","Museum"]`},
	{"lookalikes", "multiple choice, labels nearly alike", "multiplechoice", "Which spelling do you see on the sign?",
		`{"type":"string","enum":["Cafe","cafe","Café","CAFÉ","Cafe ","1","1.0","“Cafe”"]}`, `"Café"`},
	{"text", "text input", "textinput", "Describe your last journey in two or three sentences, and quote what somebody said.",
		`{"type":"string","minLength":1,"maxLength":500}`, `"By train.\nShe said: \"At last!\" 🚆"`},
	{"number", "text input, number", "textinput", "How many hours did you sleep last night? In half hours.",
		`{"type":"number","minimum":0,"exclusiveMaximum":24,"multipleOf":0.5}`, `7.5`},
	{"email", "text input, e-mail", "textinput", "Which e-mail address should the (invented) receipt go to?",
		`{"type":"string","format":"email","maxLength":100}`, `"ada@example.org"`},
	{"ranking", "ranking", "ranking", "Put the seasons in your order, the one you like best first.",
		`{"type":"array","items":{"type":"string","enum":["spring","summer","autumn","winter"]},"minItems":4,"maxItems":4,"uniqueItems":true}`,
		`["autumn","spring","winter","summer"]`},
	{"rapid", "rapid rating", "rapidrate", "How much of each feeling does the music have, 0 to 100? None where it does not apply.",
		`{"type":"object","properties":{"Calm":` + rapidItem + `,"Joy / delight":` + rapidItem + `,"悲しみ":` + rapidItem + `},` +
			`"required":["Calm","Joy / delight","悲しみ"],"additionalProperties":false}`, `{"Calm":40,"Joy / delight":null,"悲しみ":7.25}`},
	{"questionnaire", "questionnaire", "questionnaire", "Last page: your age, your hand, how you slept, what you read, and a remark if you like.",
		`{"type":"object","properties":{"age":{"type":"integer","minimum":18,"maximum":99},"hand":{"type":"string","enum":["left","right","both"]},` +
			`"sleep":{"type":"object","properties":{"hours":{"type":"number","minimum":0,"maximum":24,"multipleOf":0.5},"quality":{"type":"integer","minimum":1,"maximum":5}},` +
			`"required":["hours","quality"],"additionalProperties":false},` +
			`"reading":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"object","properties":{"what":{"type":"string","enum":["books","news","letters"]},` +
			`"days":{"type":"integer","minimum":0,"maximum":7}},"required":["what","days"],"additionalProperties":false}},"remark":{"type":"string","maxLength":200}},` +
			`"required":["age","hand","sleep","reading"],"additionalProperties":false}`,
		`{"age":31,"hand":"left","sleep":{"hours":7.5,"quality":4},"reading":[{"what":"books","days":6}]}`},
	{"consent", "yes or no", "instructions", "Have you read the instructions and understood them?",
		`{"type":"boolean"}`, `true`},
	{"sparse", "rating during a video", "sparserating", "The video is paused. How tense is the scene now? null if you cannot tell.",
		`{"type":["number","null"],"minimum":0,"maximum":100}`, `71`},
	{"structured", "a schema with references", "form", "When and where do you want to meet? Either a place, or a link to a call.",
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
