package main

import _ "embed"

// A group is a set of sample requests under one heading.
type group struct {
	Title   string
	Screens []screen
}

// A screen is a sample request, as HyperStudy sends it while such a screen is up.
type screen struct {
	Name  string // of the file in page/screens
	Title string
	About string // what the answer has to be
}

var groups = []group{
	{"Questions", []screen{
		{"rating", "Rating scale", "A number from 0 to 100, decimals allowed. The study has a text chat, so a message or waiting are answers too."},
		{"rating-tenths", "Rating scale in steps of 0.1", "A number from 0 to 10 with at most one decimal. Nothing is rounded: 7.35 would be put back to the model."},
		{"likert", "Likert scale", "A whole number from 1 to 7."},
		{"choice", "Multiple choice, one answer", "One of four answers, word for word."},
		{"choices", "Multiple choice, several answers", "A list of at least one of the answers, none of them twice."},
		{"text", "Text field", "A text of 1 to 400 characters. Longer ones are put back to the model and never cut."},
		{"number", "Number field", "A number from 0 to 24 in steps of 0.5."},
		{"ranking", "Ranking", "All four items in an order, each of them once."},
		{"rapid-rate", "Rapid rating", "A number from 0 to 100, or null for None, for each of three emotions."},
		{"video-pause", "Rating at a video's pause", "A number from -50 to 50."},
		{"questionnaire", "Questionnaire", "An object with nested answers; the remark is optional."},
		{"picture", "Picture with a rating scale", "A number from 0 to 100, about a picture that is part of the request. Models that see no pictures give an error."},
	}},
	{"Chat", []screen{
		{"chat", "Chat message, nothing to answer", "A message or waiting: no other tool is offered."},
		{"question-and-chat", "Question during a chat", "One call: the answer, a message, or waiting."},
	}},
	{"Without tools", []screen{
		{"stage-text", "Reasoning stage, text", "Text, passed on as the model wrote it."},
		{"stage-json", "Reasoning stage, JSON", "JSON that satisfies the schema in the request."},
		{"connection-test", "Connection test", "One token, as HyperStudy's Test button asks for."},
	}},
}

// decision is the sample request in the greeting.
//
//go:embed page/screens/rating.json
var decision string
