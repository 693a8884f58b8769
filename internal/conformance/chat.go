package conformance

import (
	"context"
)

// transcript is what others and the agent have written, as HyperStudy shows it.
const transcript = "\nRecent chat:\n[Participant B] <participant_text>hi! did you also get the blue card?</participant_text>\n" +
	"[you] yes, and a red one\n[Participant B] <participant_text>ok, shall we trade? I could use the red one 🙂</participant_text>\n"

// A situation is a decision that is not about the schema of an answer.
type situation struct {
	id, title, requirement string
	screen                 string
	tools                  []Tool
}

var situations = []situation{
	{"chat.turn", "chat turn", "A message of another participant is answered with a chat message, or by waiting.",
		"Screen: a video is playing. Nothing has to be answered.\n" + transcript, []Tool{chatTool, waitTool}},
	{"chat.opener", "chat without a message yet", "An agent may open a conversation in which nobody has written.",
		"Screen: waiting for the next round. You may write to the others.\n\nRecent chat: none yet.\n", []Tool{chatTool, waitTool}},
	{"chat.both", "question and chat at once", "With a question and a chat there is still one call a turn, whichever the model chooses.",
		kindOf("choice").screen() + transcript, []Tool{chatTool, waitTool, kindOf("choice").tool()}},
	{"chat.wait", "nothing to do", "A tool without arguments is called with an empty object.",
		"Screen: a picture, without a question. There is nothing to do.\n", []Tool{waitTool}},
	{"chat.bare", "tool without parameters", "A tool may be offered without a schema for its arguments.",
		"Screen: the text is read, and the Continue button is there.\n", []Tool{{Name: "press_continue", Description: "Press the Continue button."}}},
}

func chatChecks(o Options) []check {
	var list []check
	for _, t := range situations {
		list = append(list, check{Check: Check{
			ID: t.id, Group: "chat", Title: t.title, Cost: decisionCost.times(o.Repeat), Requirement: t.requirement,
		}, run: func(ctx context.Context, s *session) finding {
			return s.askKind(ctx, body{Messages: screen(t.screen), Tools: t.tools})
		}})
	}
	return list
}
