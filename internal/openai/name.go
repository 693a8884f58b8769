package openai

import "strings"

// IsName reports whether s has 1 to longest bytes, each an ASCII letter, a
// digit or one of punctuation.
func IsName(s string, longest int, punctuation string) bool {
	return s != "" && len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool { return !inName(r, punctuation) })
}

// ToName returns s with every character that [IsName] refuses replaced by _,
// cut to longest bytes.
func ToName(s string, longest int, punctuation string) string {
	name := strings.Map(func(r rune) rune {
		if inName(r, punctuation) {
			return r
		}
		return '_'
	}, s)
	return name[:min(len(name), longest)]
}

func inName(r rune, punctuation string) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(punctuation, r)
}
