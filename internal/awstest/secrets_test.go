package awstest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
	"github.com/aws/smithy-go"

	"hyperstudy-endpoint/internal/awstest"
)

func getSecret(ctx context.Context, srv *awstest.Server, id string) (*secretsmanager.GetSecretValueOutput, error) {
	return secretsmanager.NewFromConfig(srv.Config()).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(id)})
}

func TestSecret(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	arn := srv.SetSecret("prod/key", `{"a":"b"}`)
	const given = "arn:aws:secretsmanager:us-east-1:123456789012:secret:other-Ab12Cd"
	if got := srv.SetSecret(given, "x"); got != given {
		t.Errorf("ARN is %s", got)
	}
	for id, want := range map[string]string{
		"prod/key": `{"a":"b"}`, arn: `{"a":"b"}`, arn[:len(arn)-7]: `{"a":"b"}`, given: "x", "other": "x",
	} {
		out, err := getSecret(t.Context(), srv, id)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if *out.SecretString != want || out.SecretBinary != nil || out.CreatedDate == nil || len(out.VersionStages) != 1 {
			t.Errorf("%s is %+v", id, out)
		}
	}
	first, err := getSecret(t.Context(), srv, arn)
	if err != nil {
		t.Fatal(err)
	}
	if again := srv.SetSecret("prod/key", "new"); again != arn {
		t.Errorf("the ARN changed from %s to %s", arn, again)
	}
	second, err := getSecret(t.Context(), srv, arn)
	if err != nil || *second.SecretString != "new" || *second.VersionId == *first.VersionId {
		t.Errorf("the secret is %+v, %v", second, err)
	}
	srv.SetSecretBinary("raw", []byte{0, 1})
	raw, err := getSecret(t.Context(), srv, "raw")
	if err != nil || raw.SecretString != nil || string(raw.SecretBinary) != "\x00\x01" {
		t.Errorf("the secret is %+v, %v", raw, err)
	}
	if n := srv.SecretCalls(); n != 8 {
		t.Errorf("%d calls", n)
	}
}

func TestSecretErrors(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	arn := srv.SetSecret("key", "x")
	code := func(id string) string {
		t.Helper()
		_, err := getSecret(t.Context(), srv, id)
		if err == nil {
			return ""
		}
		var api smithy.APIError
		if !errors.As(err, &api) {
			t.Fatalf("error is %v", err)
		}
		return api.ErrorCode()
	}
	expect := func(id, want string) {
		t.Helper()
		if got := code(id); got != want {
			t.Errorf("%s: code is %q, want %q", id, got, want)
		}
	}
	expect("none", "ResourceNotFoundException")
	expect(arn[:len(arn)-6]+"zzzzzz", "ResourceNotFoundException")
	expect("", "ValidationException")
	srv.DenySecret(arn, true)
	expect("key", "AccessDeniedException")
	srv.DenySecret("key", false)
	expect("key", "")
	srv.SecretsDown(true)
	expect("key", "InternalServiceError")
	srv.SecretsDown(false)
	expect("key", "")
	srv.DeleteSecret("key")
	expect(arn, "ResourceNotFoundException")
	_, err := getSecret(t.Context(), srv, "none")
	var missing *types.ResourceNotFoundException
	if !errors.As(err, &missing) || missing.ErrorMessage() != "Secrets Manager can't find the specified secret." {
		t.Errorf("error is %v", err)
	}
}

func TestSecretVersions(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	srv.SetSecret("key", "x")
	c := secretsmanager.NewFromConfig(srv.Config())
	for stage, ok := range map[string]bool{"AWSCURRENT": true, "AWSPREVIOUS": false} {
		_, err := c.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String("key"), VersionStage: aws.String(stage)})
		if (err == nil) != ok {
			t.Errorf("%s: error is %v", stage, err)
		}
	}
	_, err := c.ListSecrets(t.Context(), &secretsmanager.ListSecretsInput{})
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "UnknownOperationException" {
		t.Errorf("ListSecrets: %v", err)
	}
}

func TestSecretDelay(t *testing.T) {
	t.Parallel()
	const delay = 30 * time.Millisecond
	srv := awstest.NewServer(t)
	srv.SetSecret("key", "x")
	srv.SecretDelay(delay)
	start := time.Now()
	if _, err := getSecret(t.Context(), srv, "key"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < delay {
		t.Errorf("took %v", took)
	}
}
