package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeAWS puts an AWS CLI on a PATH of its own that answers as the script says.
func fakeAWS(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "aws"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// answers is a script that describes a stack and tells a secret, and checks how
// it is asked.
func answers(baseURL, secret string) string {
	return fmt.Sprintf(`case "$*" in
"cloudformation describe-stacks --stack-name my-stack --output json --region eu-central-1")
	echo '{"Stacks": [{"Outputs": [{"OutputKey": "BaseUrl", "OutputValue": "%s"}, {"OutputKey": "ApiKeySecretArn", "OutputValue": "arn:secret"}]}]}' ;;
"secretsmanager get-secret-value --secret-id arn:secret --query SecretString --output text --region eu-central-1")
	printf '%%s\n' '%s' ;;
*) echo "unexpected: $*" >&2; exit 1 ;;
esac
`, baseURL, secret)
}

// TestStack checks the command as a process with an AWS CLI that is a script.
func TestStack(t *testing.T) {
	t.Parallel()
	base := serve(t)["BASE_URL"]
	for _, tc := range []struct {
		name, script string
		env          env
		code         int
		want         []string
	}{
		{"key as text", answers(base, testKey), nil, exitPassed, []string{"(the deployed stack my-stack)", "4 checks: 4 passed"}},
		{"labelled keys", answers(base, `{"pilot": "`+testKey+`", "main": "sk-other"}`), nil, exitPassed, []string{`(the deployed stack my-stack, with the key "pilot")`}},
		{"wanted key", answers(base, `{"main": "sk-other", "pilot": "`+testKey+`"}`), env{"LABEL": "pilot"}, exitPassed, []string{`with the key "pilot"`}},
		{"own key", answers(base, "sk-wrong"), env{"API_KEY": testKey}, exitPassed, []string{"(the deployed stack my-stack, with API_KEY)"}},
		{"other region", answers(base, testKey), env{"AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-central-1"}, exitPassed, nil},
		{"no outputs", `echo '{"Stacks": [{}]}'`, env{"PORT": "1"}, exitNotMade, []string{"has no outputs BaseUrl and ApiKeySecretArn", "make deploy"}},
		{"unknown form", `echo Stacks`, nil, exitNotMade, []string{"in an unknown form", "BASE_URL="}},
		{"no right to the key", `[ "$1" = cloudformation ] || { echo 'An error occurred (AccessDeniedException)' >&2; exit 254; }
			echo '{"Stacks": [{"Outputs": [{"OutputKey": "BaseUrl", "OutputValue": "https://a.example/v1"}, {"OutputKey": "ApiKeySecretArn", "OutputValue": "arn:secret"}]}]}'`,
			nil, exitNotMade, []string{`the key of the stack my-stack cannot be read: the AWS CLI says "An error occurred (AccessDeniedException)"`, "set API_KEY"}},
		{"empty secret", answers(base, "{}"), nil, exitNotMade, []string{"holds no such key", "API_KEY"}},
		{"no AWS CLI", "", env{"PATH": "/none", "PORT": "1"}, exitNotMade, []string{"The AWS CLI is not installed"}},
		{"no stack named", "", env{"STACK": "", "PORT": "1"}, exitNotMade, []string{"No stack is named in samconfig.toml"}},
		{"no such stack", "echo 'An error occurred: Stack with id my-stack does not exist' >&2; exit 254", env{"PORT": "1"}, exitNotMade, []string{
			"there is no endpoint to check", "BASE_URL is not set", `The deployed stack my-stack was not found: the AWS CLI says "An error occurred: Stack with id my-stack does not exist"`, "Nothing answers at http://127.0.0.1:1.", "make run", "another PORT"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := env{"PATH": fakeAWS(t, tc.script) + ":/usr/bin:/bin", "STACK": "my-stack", "AWS_REGION": "eu-central-1"}
			for name, value := range tc.env {
				e[name] = value
			}
			cmd := process(t, e, "--only", "connection")
			var out, errOut strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errOut
			_ = cmd.Run() // its status is looked at
			got := said{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
			got.check(t, tc.code, tc.want...)
			if strings.Contains(got.out+got.err, testKey) {
				t.Error("the key was said")
			}
		})
	}
}

// TestLocal checks how the server of make run is found.
func TestLocal(t *testing.T) {
	t.Parallel()
	serveLocal := func(body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/page/connection.json" {
				http.NotFound(w, r)
				return
			}
			_, _ = fmt.Fprint(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL[strings.LastIndex(server.URL, ":")+1:]
	}
	told := serveLocal(`{"base_url":"http://127.0.0.1:9/v1","api_key":"sk-local"}`)
	untold := serveLocal(`{"base_url":"http://127.0.0.1:9/v1","api_key":""}`)
	other := serveLocal("<html>")
	local := finder{getenv: env{"PORT": told, "STACK": "my-stack"}.get, note: t.Logf, onlyLocal: true} // though a stack is named
	if got, err := local.find(t.Context()); err != nil || got.source != "make run on this machine" {
		t.Errorf("--local found %+v, %v", got, err)
	}
	var wanted *hinted
	nobody := finder{getenv: env{"PORT": "1"}.get, note: t.Logf, onlyLocal: true}
	if _, err := nobody.find(t.Context()); !errors.As(err, &wanted) || err.Error() != "nothing answers at http://127.0.0.1:1" || !strings.Contains(wanted.step, "PORT") {
		t.Errorf("--local without a server: %v", err)
	}
	for _, tc := range []struct {
		name string
		env  env
		want endpoint
		err  string
	}{
		{"its key", env{"PORT": told}, endpoint{"http://127.0.0.1:9/v1", "sk-local", "make run on this machine"}, ""},
		{"own key", env{"PORT": untold, "API_KEY": " sk-own\n"}, endpoint{"http://127.0.0.1:" + untold + "/v1", "sk-own", "make run on this machine, with API_KEY"}, ""},
		{"key not told", env{"PORT": untold}, endpoint{}, "does not tell its key"},
		{"another server", env{"PORT": other}, endpoint{}, "does not tell its key"},
		{"no port", env{"PORT": "8080/x"}, endpoint{}, "there is no endpoint to check"},
		{"variables first", env{"PORT": told, "BASE_URL": " https://agent.example.org/v1 ", "API_KEY": "sk"}, endpoint{"https://agent.example.org/v1", "sk", "from BASE_URL"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := finder{getenv: tc.env.get, samconfig: filepath.Join(t.TempDir(), "none.toml"), note: t.Logf}.find(t.Context())
			if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// TestStackName checks that the stack is the one that is deployed.
func TestStackName(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../samconfig.toml")
	if err != nil {
		t.Fatal(err)
	}
	if found := stackName.FindSubmatch(text); found == nil || string(found[1]) != "hyperstudy-endpoint" {
		t.Errorf("found %q", found)
	}
}

func TestKeyIn(t *testing.T) {
	t.Parallel()
	const two = `{"b":"sk-b","a":"sk-a"}`
	for _, tc := range []struct{ secret, wanted, key, label string }{
		{"sk-1\n", "", "sk-1", ""}, {"sk-1", "main", "sk-1", ""}, {two, "", "sk-b", "b"}, {two, "a", "sk-a", "a"}, {two, "c", "", ""},
		{"{}", "", "", ""}, {"{", "", "", ""}, {`{"a":1}`, "", "", ""}, {`{"a"`, "", "", ""}, {"", "", "", ""},
	} {
		if key, label := keyIn(tc.secret, tc.wanted); key != tc.key || label != tc.label {
			t.Errorf("%q in %q: %q %q", tc.wanted, tc.secret, key, label)
		}
	}
}
