package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// settings runs the command as somebody at a terminal who types the answers.
func settings(t *testing.T, answers string, args ...string) result {
	t.Helper()
	var out, asked strings.Builder
	s := &session{surroundings: surroundings{strings.NewReader(answers), &out, &asked, utc}, terminal: true}
	code := settingsCommand.run(t.Context(), args, s)
	return result{code, out.String(), asked.String()}
}

func samconfig(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "samconfig.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSettings(t *testing.T) {
	d := deploy(t, baseline, "first-key-0123456789") // for its environment
	lasting := samconfig(t, "[default.deploy.parameters]\nparameter_overrides = [\"Models=r=baseline:random\", \"RequestTimeoutSeconds=120\", \"ExternalCaPem=a b\"]\n")
	text := samconfig(t, "[default.deploy.parameters]\nparameter_overrides = \"AlarmEmail=lab@example.org MaxReasks=1\"\n")
	for _, tc := range []struct {
		name, stack, answers string
		args                 []string
		printed, asked       string
	}{
		{"defaults", "nothing", "\n\n\n", nil, "\n", "us.amazon.nova-2-lite-v1:0"},
		{"all answered", "nothing", "a=bedrock:us.x.y?max_tokens=9&fallback=b,b=baseline:random\n120\nlab@example.org\n", nil,
			"'Models=a=bedrock:us.x.y?max_tokens=9&fallback=b,b=baseline:random' 'RequestTimeoutSeconds=120' 'AlarmEmail=lab@example.org'\n", "10 to 300"},
		{"a fault in each answer", "nothing", "nova\na=baseline:random, b=baseline:random\na=baseline:random\n5\n60\nlab\n\n", nil,
			"'Models=a=baseline:random' 'RequestTimeoutSeconds=60'\n", "that is no e-mail address"},
		{"what is set is not asked for", "nothing", "\n", []string{"--samconfig", lasting, "--models", "n=baseline:random", "--set", `MaxReasks=0 Dashboard="o n"`},
			"'Models=n=baseline:random' 'RequestTimeoutSeconds=120' 'ExternalCaPem=\"a b\"' 'MaxReasks=0' 'Dashboard=\"o n\"'\n", "E-mail"},
		{"a deployed stack keeps its settings", d.name, "", nil, "\n", ""},
		{"and is given what is said", d.name, "", []string{"--samconfig", text, "--set", "MaxReasks=3"}, "'AlarmEmail=lab@example.org' 'MaxReasks=3'\n", ""},
		{"an external model with its address", "nothing", "\n\n", []string{"--models", "g=external:m?base_url=https://llm.example.org/v1"}, "'Models=g=external:m?base_url=https://llm.example.org/v1'\n", "E-mail"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args := append([]string{"--samconfig", "/dev/null", "--stack", tc.stack}, tc.args...)
			r := settings(t, tc.answers, args...).want(t, exitOK)
			if r.stdout != tc.printed || !strings.Contains(r.stderr, tc.asked) || tc.asked == "" && r.stderr != "" {
				t.Errorf("printed %q, asked %q", r.stdout, r.stderr)
			}
		})
	}
	for _, answers := range []string{"", "\n", "\n\nlab"} {
		if r := settings(t, answers, "--samconfig", "/dev/null", "--stack", "nothing"); r.code != exitFault || r.stdout != "" {
			t.Errorf("answers %q: exit code %d, printed %q", answers, r.code, r.stdout)
		}
	}
	if r := manage(t, "settings", "--samconfig", "/dev/null", "--stack", "nothing").want(t, exitOK); r.stderr != "" {
		t.Errorf("nobody is at a terminal, and it was asked: %s", r.stderr)
	}
}

func TestSettingsRefused(t *testing.T) {
	deploy(t, baseline, "first-key-0123456789") // for its environment
	seven := strings.Repeat("a=baseline:random,", 6) + "b=baseline:random"
	for _, tc := range []struct {
		name string
		args []string
		code int
		word string
	}{
		{"unknown provider", []string{"--models", "nova=bedrok:x"}, exitFault, "bedrok"},
		{"blanks", []string{"--models", "a=baseline:random, b=baseline:random"}, exitFault, "blanks"},
		{"seven models", []string{"--models", seven}, exitFault, "7 entries"},
		{"an external model without an address", []string{"--models", "g=external:m"}, exitFault, "SETTINGS='ExternalBaseUrl="},
		{"no default model there", []string{"--region", "ap-northeast-1"}, exitFault, "not offered in ap-northeast-1"},
		{"no setting", []string{"--set", "120"}, exitUsage, "Name=value"},
		{"no TOML", []string{"--samconfig", samconfig(t, "[")}, exitFault, "samconfig.toml"},
		{"a number", []string{"--samconfig", samconfig(t, "[default.deploy.parameters]\nparameter_overrides = 3\n")}, exitFault, "list of strings"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			manage(t, append([]string{"settings", "--stack", "nothing", "--samconfig", "/dev/null"}, tc.args...)...).want(t, tc.code, tc.word)
		})
	}
}

// TestDefaultRegions compares the list with the template's rule.
func TestDefaultRegions(t *testing.T) {
	t.Parallel()
	template, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rule := regexp.MustCompile(`DefaultModelNeedsItsRegion:[\s\S]*?!Contains \[\[([^\]]*)\]`).FindSubmatch(template)
	if rule == nil {
		t.Fatal("the template has no such rule")
	}
	if got := strings.Join(defaultRegions, ", "); got != string(rule[1]) {
		t.Errorf("%s, and in the template %s", got, rule[1])
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	if got := quote(`it's a&b $x`); got != `'it'\''s a&b $x'` {
		t.Error(got)
	}
}
