package bedrock

import "hyperstudy-endpoint/internal/openai"

// A nameForm is what an upstream takes as a name: so many ASCII letters, digits
// and characters of punctuation. (Regular expressions would say the same, and
// would have to be compiled in every cold start.)
type nameForm struct {
	shortest, longest int
	punctuation       string
	letterFirst       bool
}

// takes reports whether s has the form.
func (f *nameForm) takes(s string) bool {
	return len(s) >= f.shortest && openai.IsName(s, f.longest, f.punctuation) && (!f.letterFirst || 'A' <= s[0] && s[0]|0x20 <= 'z')
}

// has reports whether names may hold the character.
func (f *nameForm) has(r rune) bool { return openai.IsName(string(r), f.longest, f.punctuation) }
