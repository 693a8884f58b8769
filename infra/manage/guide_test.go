package main

import (
	"strings"
	"testing"
)

// guided answers the questions of a first deployment.
func guided(t *testing.T, stack, answers string) (stdout, stderr string, err error) {
	t.Helper()
	var out, asked strings.Builder
	s := &session{surroundings: surroundings{strings.NewReader(answers), &out, &asked, utc}, terminal: true, stackName: stack}
	if _, _, err := s.deployed(t.Context()); err == nil {
		t.Fatalf("the stack %s exists", stack)
	}
	err = s.guide()
	return out.String(), asked.String(), err
}

func TestGuide(t *testing.T) {
	d := deploy(t, baseline, "first-key-0123456789") // for its environment
	for _, tc := range []struct{ name, answers, settings, asked string }{
		{"defaults", "\n\n\n", "\n", "Amazon Nova 2 Lite"},
		{"all set", "a=bedrock:us.x.y?max_tokens=9&fallback=b,b=baseline:random\n120\nlab@example.org\n",
			"'Models=a=bedrock:us.x.y?max_tokens=9&fallback=b,b=baseline:random' 'RequestTimeoutSeconds=120' 'AlarmEmail=lab@example.org'\n", "10 to 300"},
		{"a fault in each", "nova\na=baseline:random\n5\n60\nlab\n\n", "'Models=a=baseline:random' 'RequestTimeoutSeconds=60'\n", "that is no e-mail address"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, asked, err := guided(t, "nothing", tc.answers)
			if err != nil || out != tc.settings || !strings.Contains(asked, tc.asked) {
				t.Errorf("%v, printed %q, asked %q", err, out, asked)
			}
		})
	}
	for _, answers := range []string{"", "\n", "\n\nlab"} {
		if out, _, err := guided(t, "nothing", answers); err == nil || out != "" {
			t.Errorf("answers %q: %v, printed %q", answers, err, out)
		}
	}
	if r := manage(t, "guide", "--stack", "nothing").want(t, exitOK); r.stdout+r.stderr != "" {
		t.Errorf("nobody is at a terminal, and it was asked: %s", r.stderr)
	}
	var out, asked strings.Builder
	s := &session{surroundings: surroundings{strings.NewReader(""), &out, &asked, utc}, terminal: true}
	if code := guideCommand.run(t.Context(), []string{"--stack", d.name}, s); code != exitOK || out.String()+asked.String() != "" {
		t.Errorf("a deployed stack: exit code %d, %s%s", code, out.String(), asked.String())
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	if got := quote(`it's a&b $x`); got != `'it'\''s a&b $x'` {
		t.Error(got)
	}
}
