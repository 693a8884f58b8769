package bedrock

import (
	"strings"
	"testing"
)

// TestToolNames: every name comes back, whatever the others are.
func TestToolNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 66)
	offered := []string{"fs.read", "fs_read", "fs-read", "fs/read", "2nd", "_x", "", "日本", "日木", long + "a", long + "b", "wait", strings.Repeat("y", 64)}
	for _, f := range []*family{&other, familyOf(novaLite)} {
		n := newToolNames(f)
		for _, name := range offered {
			n.reserve(name)
		}
		sent := map[string]string{}
		for _, name := range append(offered, "only.in.history") {
			s := n.send(name)
			if !validToolName(s, f.can(hyphens)) {
				t.Errorf("%s: %q is sent as %q", f.name, name, s)
			}
			if before, taken := sent[s]; taken {
				t.Errorf("%s: %q and %q are both sent as %q", f.name, before, name, s)
			}
			sent[s] = name
			if back := n.receive(s); back != name {
				t.Errorf("%s: %q comes back as %q", f.name, name, back)
			}
			if n.send(name) != s {
				t.Errorf("%s: %q is sent differently the second time", f.name, name)
			}
		}
		if n.send("fs_read") != "fs_read" || n.send("wait") != "wait" {
			t.Errorf("%s: a valid name was replaced", f.name)
		}
		if got := n.receive("fs_read<|channel|>commentary"); got != "fs_read" {
			t.Errorf("%s: with a channel it is %q", f.name, got)
		}
		if got := n.receive("Invented Name"); got != "Invented Name" {
			t.Errorf("%s: an invented name became %q", f.name, got)
		}
	}
}

// TestToolIDs: ids are valid for the family and unlike one another.
func TestToolIDs(t *testing.T) {
	t.Parallel()
	long := "call_" + strings.Repeat("0", 80)
	for _, form := range []idForm{wordIDs, dottedIDs, nineIDs} {
		ids := newToolIDs(&family{toolIDs: form})
		seen := map[string]bool{}
		for _, id := range []string{"a", "a", "a", "functions.f:0", "abcdefghi", "call|fc x", long + "1", long + "2", "日本", "tooluse_1"} {
			sent := ids.send(id)
			if seen[sent] || !idForms[form].takes(sent) {
				t.Errorf("form %d: %q is sent as %q", form, id, sent)
			}
			seen[sent] = true
		}
		keeps := map[idForm]string{wordIDs: "tooluse_1", dottedIDs: "functions.f:0", nineIDs: "abcdefghi"}
		if !seen[keeps[form]] {
			t.Errorf("form %d: %q was replaced", form, keeps[form])
		}
	}
}
