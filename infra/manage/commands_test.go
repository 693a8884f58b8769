package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	list := manage(t, "--help").want(t, exitOK).stdout
	for _, c := range commands {
		if !strings.Contains(list, "  "+c.name+" ") {
			t.Errorf("%s is not listed", c.name)
		}
		r := manage(t, c.name, "--help").want(t, exitOK, c.about, "--stack"[1:])
		if r.stderr != "" {
			t.Errorf("help of %s went to stderr", c.name)
		}
		manage(t, c.name, "--no-such-flag").want(t, exitUsage, "no-such-flag", "usage: make "+c.name)
		manage(t, c.name, "argument").want(t, exitUsage, `unexpected argument "argument"`)
	}
	manage(t, "rotate").want(t, exitUsage, `no command "rotate"`, "rotate-key")
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for label, good := range map[string]bool{"pilot": true, "2026-a_b.c": true, "": false, "a b": false, "-a": false, "a.next": false, "é": false, strings.Repeat("a", 65): false} {
		if err := checkLabel(label); (err == nil) != good {
			t.Errorf("%q: %v", label, err)
		}
	}
}

func TestSummary(t *testing.T) {
	d := deploy(t, "fast=baseline:random,slow=baseline:random", "first-key-0123456789")
	r := manage(t, "summary", "--stack", d.name).want(t, exitOK, d.gateway.URL, "fast (the default), or slow", "60 s", "make key", "make verify")
	if strings.Contains(r.stdout, "first-key") {
		t.Error("the key was printed")
	}
	manage(t, "summary", "--stack", "nothing").want(t, exitFault, `no stack "nothing"`, "make deploy")
}

// TestFollow follows a log until it is interrupted, and prints each line once.
func TestFollow(t *testing.T) {
	d := deploy(t, baseline, "first-key-0123456789")
	d.log(t, `{"msg":"request","kind":"text","status":200}`)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	read, write := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"logs", "--stack", d.name, "--follow"}, surroundings{strings.NewReader(""), write, t.Output(), utc})
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	for i, text := range []string{"first", "second"} {
		if i > 0 {
			d.log(t, `{"msg":"request","kind":"second","status":200}`)
		}
		if !lines.Scan() {
			t.Fatalf("no %s line: %v", text, lines.Err())
		}
	}
	if !strings.Contains(lines.Text(), `"second"`) {
		t.Errorf("the first line came twice: %s", lines.Text())
	}
	interrupt()
	if code := <-done; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// TestFullDisk writes a report that does not fit.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	args := []string{"report", "--file", "testdata/day.log", "--since", "2026-11-24", "--until", "2026-11-25", "--csv"}
	var stderr strings.Builder
	if code := run(t.Context(), args, surroundings{strings.NewReader(""), full{}, &stderr, utc}); code != exitFault || !strings.Contains(stderr.String(), "no space") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestUnreachableAWS(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "", "AWS_EC2_METADATA_DISABLED": "true", "AWS_ENDPOINT_URL": moto,
	} {
		t.Setenv(name, value)
	}
	manage(t, "key").want(t, exitFault, "no AWS region", "AWS_REGION")
	manage(t, "key", "--region", "us-east-1").want(t, exitFault, "AWS does not know who you are", "aws sso login")
	manage(t, "doctor", "--region", "us-east-1").want(t, exitFault, "FAIL  credentials", "aws configure")
}

func TestCost(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"idle month", []string{"--rooms", "0"}, []string{"total without the model  $0.40", "tokens are not in it", "?"}},
		{"batch", []string{"--price", "0.06/0.24"}, []string{"14.83 M tokens  $0.89", "0.37 M tokens  $0.09", "3090 GB-s  $0.04", "6000  $0.02", "total  $1.46"}},
		{"two secrets and alarms", []string{"--rooms", "0", "--secrets", "2", "--alarms", "8", "--months", "2"}, []string{"total without the model  $3.20"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := manage(t, append([]string{"cost"}, tc.args...)...).want(t, exitOK)
			text := strings.Join(strings.Fields(r.stdout), " ")
			for _, w := range tc.words {
				if !strings.Contains(text, strings.Join(strings.Fields(w), " ")) {
					t.Errorf("%q is not in\n%s", w, r.stdout)
				}
			}
		})
	}
	manage(t, "cost", "--price", "1").want(t, exitUsage, "IN/OUT")
	manage(t, "cost", "--price", "NaN/1").want(t, exitUsage, "IN/OUT")
	manage(t, "cost", "--rooms", "-1", "--seconds", "NaN", "--months", "Inf").want(t, exitUsage, "--rooms is -1", "--seconds is NaN", "--months is +Inf", "0 or more")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--decisions", "0"}, {"--decisions", "-1"}, {"--decisions", "NaN"}, {"--decisions", "Inf"}, {"--agents", "0"}, {"--tokens", "0"}} {
		manage(t, append([]string{"doctor"}, flags...)...).want(t, exitUsage, "must be positive")
	}
}
