package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeSAM stands for the AWS SAM CLI and writes down what it is called with.
const fakeSAM = `#!/bin/sh
for word; do printf '[%s]' "$word"; done >>"$(dirname "$0")/calls"
echo >>"$(dirname "$0")/calls"
`

// TestMakeDeploy deploys with the Makefile over a stack that is there: SAM is
// called with the settings as they were given, then comes what to paste into
// HyperStudy, and then the check of the endpoint.
func TestMakeDeploy(t *testing.T) {
	d := deploy(t, baseline, "first-key-0123456789")
	sam := filepath.Join(t.TempDir(), "sam")
	if err := os.WriteFile(sam, []byte(fakeSAM), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(settings ...string) string {
		cmd := exec.CommandContext(t.Context(), "make", append([]string{"-C", "../..", "deploy", "SAM=" + sam, "STACK=" + d.name}, settings...)...)
		cmd.Env = append(os.Environ(), "BASE_URL="+d.gateway.URL, "API_KEY=first-key-0123456789", "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	out := run("AWS_REGION=us-east-1")
	for _, words := range []string{"Base URL         " + d.gateway.URL, "`make key`", "tool calling"} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is not in\n%s", words, out)
		}
	}
	run("AWS_REGION=us-east-1", "MODELS=a=bedrock:x?max_tokens=9&fallback=b,b=baseline:random", "SETTINGS=MaxReasks=0 RequestTimeoutSeconds=90", "ARGS=--no-execute-changeset")
	calls, err := os.ReadFile(filepath.Join(filepath.Dir(sam), "calls"))
	if err != nil {
		t.Fatal(err)
	}
	want := "[build]\n[deploy][--region][us-east-1]\n" +
		"[build]\n[deploy][--region][us-east-1][--parameter-overrides][MaxReasks=0][RequestTimeoutSeconds=90][Models=a=bedrock:x?max_tokens=9&fallback=b,b=baseline:random][--no-execute-changeset]\n"
	if string(calls) != want {
		t.Errorf("sam was called with\n%s, not\n%s", calls, want)
	}
}
