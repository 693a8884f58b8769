package bedrock

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the length of a tool name or tool use id that Bedrock takes.
const maxName = 64

var (
	toolName      = nameForm{longest: maxName, punctuation: "_-"}
	plainToolName = nameForm{longest: maxName, punctuation: "_", letterFirst: true}
)

func validToolName(name string, hyphens bool) bool {
	if hyphens {
		return toolName.takes(name)
	}
	return plainToolName.takes(name)
}

// toolNames replaces the tool names of one request that Bedrock or the family
// refuses, and turns the replacements back. A name is replaced in the same way in
// definitions, in the choice and in the history.
type toolNames struct {
	hyphens  bool
	upstream map[string]string // by the caller's name
	original map[string]string // by the name sent
}

func newToolNames(f *family) *toolNames {
	return &toolNames{hyphens: f.can(hyphens), upstream: map[string]string{}, original: map[string]string{}}
}

// reserve makes sure that a valid name stays what it is, whatever another one
// that has to be replaced would become.
func (n *toolNames) reserve(name string) {
	if validToolName(name, n.hyphens) {
		n.set(name, name)
	}
}

func (n *toolNames) set(name, sent string) {
	n.upstream[name], n.original[sent] = sent, name
}

// send returns the name to send for the caller's name.
func (n *toolNames) send(name string) string {
	if sent, ok := n.upstream[name]; ok {
		return sent
	}
	sent := n.replacement(name)
	n.set(name, sent)
	return sent
}

// receive returns the caller's name for one in an answer. A name that was not
// sent is the model's own and stays as it is. What gpt-oss writes behind the name,
// the mark of a channel of its chat format, is no part of it:
// https://github.com/vercel/ai/issues/9967
func (n *toolNames) receive(sent string) string {
	sent, _, _ = strings.Cut(sent, "<|channel|>")
	if name, ok := n.original[sent]; ok {
		return name
	}
	return sent
}

func (n *toolNames) replacement(name string) string {
	readable := strings.Map(func(r rune) rune {
		if r < 0x80 && validToolName("a"+string(r), n.hyphens) {
			return r
		}
		return '_'
	}, name)
	if readable == "" || !validToolName(readable[:1], n.hyphens) {
		readable = "t" + readable // a leading digit or underscore
	}
	if _, taken := n.original[readable]; !taken && validToolName(readable, n.hyphens) {
		return readable
	}
	return shorten(readable, name, digestDigits)
}

// digestDigits is how much of a digest keeps names and ids apart.
const digestDigits = 12

// shorten returns a name or id that is short enough and, by some digits of a
// digest of the original, unlike that of any other.
func shorten(readable, original string, digits int) string {
	suffix := "_" + digest(original)[:digits]
	return readable[:min(len(readable), maxName-len(suffix))] + suffix
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
