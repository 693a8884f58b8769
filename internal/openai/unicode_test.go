package openai

import "testing"

func TestIsUnicode(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`"plain, ä, 😀"`:              true,
		`"\n \u00e4 \\"`:             true,
		`"\ud83d\ude00"`:             true,
		`"\uD83D\uDE00\ud83d\ude00"`: true,
		`"\\ud83d"`:                  true, // a backslash, and text
		`"\ud83d"`:                   false,
		`"\ude00\ud83d"`:             false,
		`"\ud83d x \ude00"`:          false,
		`"\ud83d\u0041"`:             false,
		"\"\xff\"":                   false,
	} {
		if got := IsUnicode([]byte(raw)); got != want {
			t.Errorf("IsUnicode(%s) = %v", raw, got)
		}
	}
}
