package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

// TestCommand checks that the command in the greeting gets a decision: its
// request, sent by net/http, and the command itself where there is a curl.
func TestCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		env  env
	}{
		{"random key", env{}},
		{"chosen key", env{"API_KEY": "it's $HOME \"and\" \\ more"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tc.env)
			t.Run("request", func(t *testing.T) {
				response, err := http.DefaultClient.Do(request(t, words(t, r.shell)))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = response.Body.Close() }()
				checkDecision(t, response.Body)
			})
			t.Run("curl", func(t *testing.T) {
				if _, err := exec.LookPath("curl"); err != nil {
					if os.Getenv("CI") != "" {
						t.Fatal(err) // .ci/run installs it
					}
					t.Skip("curl is not installed; the request it would send was tested")
				}
				cmd := exec.CommandContext(t.Context(), "sh", "-c", r.shell)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				checkDecision(t, strings.NewReader(string(out)))
			})
		})
	}
}

// checkDecision checks a completion that is one tool call.
func checkDecision(t *testing.T, body io.Reader) {
	t.Helper()
	completion := decode[struct {
		Error   any
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				ToolCalls []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}](t, body)
	if completion.Error != nil || len(completion.Choices) != 1 || completion.Choices[0].FinishReason != "tool_calls" || len(completion.Choices[0].Message.ToolCalls) != 1 {
		t.Fatalf("not a decision: %+v", completion)
	}
	call := completion.Choices[0].Message.ToolCalls[0].Function
	if !strings.Contains(decision, `"`+call.Name+`"`) || !strings.HasPrefix(call.Arguments, "{") {
		t.Errorf("unexpected call %+v", call)
	}
}

// request is what a curl command sends.
func request(t *testing.T, args []string) *http.Request {
	t.Helper()
	if len(args) < 3 || args[0] != "curl" || args[1] != "-sS" {
		t.Fatalf("unexpected command %q", args)
	}
	url, args := args[2], args[3:]
	header, body := http.Header{}, ""
	for ; len(args) > 1; args = args[2:] {
		switch args[0] {
		case "-H":
			name, value, _ := strings.Cut(args[1], ": ")
			header.Set(name, value)
		case "-d":
			body = args[1]
		default:
			t.Fatalf("unexpected option %q", args[0])
		}
	}
	if len(args) != 0 || body == "" {
		t.Fatalf("body %q, and %q left over", body, args)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	return r
}

// words splits a command as a POSIX shell does, as far as the greeting needs it:
// white space, single quotes and backslashes.
func words(t *testing.T, command string) []string {
	t.Helper()
	var list []string
	word, begun := "", false
	end := func() {
		if begun {
			list = append(list, word)
		}
		word, begun = "", false
	}
	for command != "" {
		c, rest := command[0], command[1:]
		switch {
		case strings.HasPrefix(command, "\\\n"):
			rest = rest[1:]
		case c == '\\' && rest != "":
			word, begun, rest = word+rest[:1], true, rest[1:]
		case c == '\'':
			quoted, after, ok := strings.Cut(rest, "'")
			if !ok {
				t.Fatalf("the quote in %q does not end", command)
			}
			word, begun, rest = word+quoted, true, after
		case strings.IndexByte(" \t\n", c) >= 0:
			end()
		case strings.IndexByte("\"$`;&|<>()*?[#~!{}", c) >= 0:
			t.Fatalf("%q means something to a shell in %s", c, command)
		default:
			word, begun = word+string(c), true
		}
		command = rest
	}
	end()
	return list
}

// TestKeyInSecret checks that a key which is kept in Secrets Manager is accepted
// and stays there.
func TestKeyInSecret(t *testing.T) {
	t.Parallel()
	aws := awstest.NewServer(t)
	aws.SetSecret("caller-key", "sk-kept")
	e := env{"API_KEY_SECRET": "caller-key"}
	for _, v := range aws.Env() {
		name, value, _ := strings.Cut(v, "=")
		e[name] = value
	}
	r := start(t, e)
	if r.key != "YOUR_KEY" || strings.Contains(r.greeting, "sk-kept") {
		t.Errorf("unexpected greeting:\n%s", r.greeting)
	}
	if got := r.get(t, "sk-kept"); got != http.StatusOK {
		t.Errorf("the key in the secret: %d", got)
	}
	if got := r.get(t, "YOUR_KEY"); got != http.StatusUnauthorized {
		t.Errorf("YOUR_KEY: %d", got)
	}
}
