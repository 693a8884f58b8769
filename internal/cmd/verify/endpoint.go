package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/wording"
)

const (
	defaultPort = "8080"
	// devTime is for the dev server's page to answer, awsTime for the AWS CLI.
	devTime = 3 * time.Second
	awsTime = 30 * time.Second
)

// An endpoint is one to check.
type endpoint struct {
	BaseURL string
	apiKey  string
	source  string // where it was found, for people
}

// A finder looks for the endpoint to check.
type finder struct {
	getenv    func(string) string
	samconfig string               // the file that names the stack
	note      func(string, ...any) // told of what may take a while
	onlyLocal bool                 // looks for that of make run and no other
}

func newFinder(getenv func(string) string, t *terminal, onlyLocal bool) finder {
	return finder{getenv: getenv, samconfig: "samconfig.toml", note: t.note, onlyLocal: onlyLocal}
}

// get reads a variable without what surrounds it when it is pasted.
func (f finder) get(name string) string { return strings.TrimSpace(f.getenv(name)) }

// find returns the endpoint that the environment names, else the deployed one,
// else that of make run.
func (f finder) find(ctx context.Context) (endpoint, error) {
	key := f.get("API_KEY")
	if base := f.get("BASE_URL"); base != "" {
		if key == "" {
			return endpoint{}, hint(errors.New("BASE_URL is set and API_KEY is not"), "Set API_KEY to the endpoint's key; for a server that asks for none, to any word.")
		}
		if u, err := url.Parse(base); err == nil && u.User != nil { // it would stand in the report
			return endpoint{}, hint(errors.New("BASE_URL holds a user name"), "Leave it out, with its password: the key goes into API_KEY.")
		}
		return endpoint{base, key, "from BASE_URL"}, nil
	}
	if f.onlyLocal {
		local, err := f.local(ctx, key)
		if err != nil && !errors.As(err, new(*hinted)) {
			err = hint(err, "Start make run in another terminal. If it has another PORT, give the same here: PORT=8081 make verify ARGS=--local")
		}
		return local, err
	}
	deployed, errStack := f.deployed(ctx, key)
	if errStack == nil || errors.As(errStack, new(*hinted)) { // a hinted error is for the person to mend
		return deployed, errStack
	}
	local, errLocal := f.local(ctx, key)
	if errLocal == nil || errors.As(errLocal, new(*hinted)) {
		return local, errLocal
	}
	return endpoint{}, hint(errors.New("there is no endpoint to check"), fmt.Sprintf(
		"BASE_URL is not set.\n%s.\n%s.\nStart one with make run (if it has another PORT, give the same here), deploy one with make deploy, or say which: BASE_URL=https://.../v1 API_KEY=... make verify",
		wording.Capital(errStack.Error()), wording.Capital(errLocal.Error())))
}

var stackName = regexp.MustCompile(`(?m)^\s*stack_name\s*=\s*["']([^"'\n]+)["']`)

// deployed asks the AWS CLI for the outputs of the stack, as make key does. The
// error is hinted if the stack is there but cannot be used.
func (f finder) deployed(ctx context.Context, key string) (endpoint, error) {
	stack := f.get("STACK")
	if stack == "" {
		text, _ := os.ReadFile(f.samconfig)
		found := stackName.FindSubmatch(text)
		if found == nil {
			return endpoint{}, fmt.Errorf("no stack is named in %s", f.samconfig)
		}
		stack = string(found[1])
	}
	if _, err := exec.LookPath("aws"); err != nil {
		return endpoint{}, errors.New("the AWS CLI is not installed, so that a deployed stack cannot be found")
	}
	f.note("Asking the AWS CLI for the stack %s …", stack)
	reply, err := f.aws(ctx, "cloudformation", "describe-stacks", "--stack-name", stack, "--output", "json")
	if err != nil {
		return endpoint{}, fmt.Errorf("the deployed stack %s was not found: %w", stack, err)
	}
	outputs, err := parseOutputs(reply)
	if err != nil {
		return endpoint{}, hint(fmt.Errorf("the AWS CLI describes the stack %s in an unknown form: %w", stack, err), "Say which endpoint: BASE_URL=https://.../v1 API_KEY=... make verify")
	}
	base, secret := outputs["BaseUrl"], outputs["ApiKeySecretArn"]
	if base == "" || secret == "" {
		return endpoint{}, fmt.Errorf("the stack %s has no outputs BaseUrl and ApiKeySecretArn: it is not this project's, or its deployment did not succeed (see make deploy; STACK names another one)", stack)
	}
	source := "the deployed stack " + stack
	if key != "" {
		return endpoint{base, key, source + ", with API_KEY"}, nil
	}
	value, err := f.aws(ctx, "secretsmanager", "get-secret-value", "--secret-id", secret, "--query", "SecretString", "--output", "text")
	if err != nil {
		return endpoint{}, hint(fmt.Errorf("the key of the stack %s cannot be read: %w", stack, err), "Ask for the right secretsmanager:GetSecretValue, or set API_KEY.")
	}
	key, label := keyIn(string(value), f.get("LABEL"))
	if key == "" {
		return endpoint{}, hint(fmt.Errorf("the secret of the stack %s holds no such key", stack), "See make key, or set API_KEY.")
	}
	if label != "" {
		source += fmt.Sprintf(", with the key %q", label)
	}
	return endpoint{base, key, source}, nil
}

func parseOutputs(reply []byte) (map[string]string, error) {
	var description struct {
		Stacks []struct {
			Outputs []struct{ OutputKey, OutputValue string }
		}
	}
	if err := json.Unmarshal(reply, &description); err != nil {
		return nil, err
	}
	outputs := map[string]string{}
	for _, s := range description.Stacks {
		for _, o := range s.Outputs {
			outputs[o.OutputKey] = o.OutputValue
		}
	}
	return outputs, nil
}

// keyIn is the key in a secret and its label: the value as it is, or of a JSON
// object of labelled keys the one that is wanted, else the first.
func keyIn(secret, wanted string) (key, label string) {
	secret = strings.TrimSpace(secret)
	if !strings.HasPrefix(secret, "{") {
		return secret, ""
	}
	d := json.NewDecoder(strings.NewReader(secret))
	if _, err := d.Token(); err != nil {
		return "", ""
	}
	for d.More() {
		name, err := d.Token()
		if err != nil || d.Decode(&key) != nil {
			return "", ""
		}
		if label, _ = name.(string); wanted == "" || label == wanted {
			return key, label
		}
	}
	return "", ""
}

// aws runs the AWS CLI in the region that make uses. Its error is one line.
func (f finder) aws(ctx context.Context, args ...string) ([]byte, error) {
	if region := cmp.Or(f.get("AWS_REGION"), f.get("AWS_DEFAULT_REGION")); region != "" {
		args = append(args, "--region", region)
	}
	ctx, cancel := context.WithTimeout(ctx, awsTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "aws", args...) //nolint:gosec // the user's own AWS CLI
	cmd.WaitDelay = time.Second
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, errors.New("the AWS CLI did not answer in time")
		}
		return nil, fmt.Errorf("the AWS CLI says %q", cmp.Or(lastLine(errOut.String()), err.Error()))
	}
	return out.Bytes(), nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// local asks the page of make run where it is and for its key. The error is
// hinted if the server is there but does not tell.
func (f finder) local(ctx context.Context, key string) (endpoint, error) {
	root := "http://127.0.0.1:" + url.PathEscape(cmp.Or(f.get("PORT"), defaultPort))
	ctx, cancel := context.WithTimeout(ctx, devTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, root+"/page/connection.json", nil)
	if err != nil {
		return endpoint{}, fmt.Errorf("PORT is no port: %w", err)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return endpoint{}, fmt.Errorf("nothing answers at %s", root)
	}
	defer func() { _ = response.Body.Close() }() // read as far as it is needed
	const source = "make run on this machine"
	if key != "" {
		return endpoint{root + "/v1", key, source + ", with API_KEY"}, nil
	}
	var connection struct {
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&connection)
	if err != nil || connection.BaseURL == "" || connection.APIKey == "" {
		return endpoint{}, hint(fmt.Errorf("the server at %s does not tell its key", root), "Set API_KEY to the key that it takes.")
	}
	return endpoint{connection.BaseURL, connection.APIKey, source}, nil
}
