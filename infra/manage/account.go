package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
)

// An account is an AWS account in one region, as the person at the keyboard
// may use it.
type account struct {
	cfg   aws.Config
	stack *stack // nil until it was looked up
}

// A stack is the deployed endpoint.
type stack struct {
	name       string
	outputs    map[string]string
	parameters map[string]string
}

// reach loads the AWS configuration the way the AWS CLI does: environment,
// profile, single sign-on.
func (s *session) reach(ctx context.Context) (*account, error) {
	if s.account != nil {
		return s.account, nil
	}
	options := []func(*config.LoadOptions) error{config.WithLogger(logging.Nop{})} // what fails is told below, and better
	if s.region != "" {
		options = append(options, config.WithRegion(s.region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, err
	}
	if cfg.Region == "" {
		return nil, errors.New("no AWS region is set: say where, for example `export AWS_REGION=us-east-1`, or run `aws configure`")
	}
	s.account = &account{cfg: cfg}
	return s.account, nil
}

// deployed returns the account and the stack with its outputs.
func (s *session) deployed(ctx context.Context) (*account, *stack, error) {
	a, err := s.reach(ctx)
	if err != nil {
		return nil, nil, err
	}
	if a.stack != nil {
		return a, a.stack, nil
	}
	out, err := cloudformation.NewFromConfig(a.cfg).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &s.stackName})
	if err != nil {
		var api smithy.APIError
		if errors.As(err, &api) && api.ErrorCode() == "ValidationError" {
			return nil, nil, &noStackError{s.stackName, a.cfg.Region}
		}
		return nil, nil, err
	}
	a.stack = &stack{name: s.stackName, outputs: map[string]string{}, parameters: map[string]string{}}
	for _, o := range out.Stacks[0].Outputs {
		a.stack.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	for _, p := range out.Stacks[0].Parameters {
		a.stack.parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	return a, a.stack, nil
}

// A noStackError says that nothing of that name is deployed.
type noStackError struct{ name, region string }

func (e *noStackError) Error() string {
	return fmt.Sprintf("there is no stack %q in %s: deploy it with `make deploy`, or name another with --stack and --region", e.name, e.region)
}

// output returns one output of the stack.
func (s *stack) output(name string) (string, error) {
	v := s.outputs[name]
	if v == "" {
		return "", fmt.Errorf("the stack %q has no output %s: it is not this endpoint's, or its deployment has not finished", s.name, name)
	}
	return v, nil
}

// logsAnswers reports whether the functions log requests that were answered,
// and not only those that failed.
func (s *stack) logsAnswers() bool {
	level := s.parameters["LogLevel"]
	return level != "warn" && level != "error"
}

// logGroup is the log group of one function; template.yaml gives the names.
func (s *stack) logGroup(function string) string { return "/aws/lambda/" + s.name + "/" + function }

// What to do about the most frequent kinds of AWS's own errors.
const (
	noRight   = "your AWS user or role may not do this: ask whoever administers the account for the right named above"
	ended     = "your AWS session has ended: run `aws sso login`, or get new credentials"
	unknown   = "AWS does not know these credentials: run `aws configure`, or `aws sso login`"
	notThere  = "it does not exist in this region: check --stack and --region, and whether the deployment has finished"
	slowDown  = "AWS asks to slow down: try again in a minute"
	wrongPair = "the secret access key does not belong to the access key id: run `aws configure`"
)

// advice says what to do about AWS's own errors, by their codes.
var advice = map[string]string{
	"AccessDenied":                noRight,
	"AccessDeniedException":       noRight,
	"UnauthorizedOperation":       noRight,
	"ExpiredToken":                ended,
	"ExpiredTokenException":       ended,
	"InvalidClientTokenId":        unknown,
	"UnrecognizedClientException": unknown,
	"SignatureDoesNotMatch":       wrongPair,
	"ResourceNotFoundException":   notThere,
	"ThrottlingException":         slowDown,
}

// explain adds the next step to an error of AWS's.
func explain(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) {
		if hint := advice[api.ErrorCode()]; hint != "" {
			return fmt.Errorf("%w\n%s", err, hint)
		}
		return err
	}
	if text := err.Error(); strings.Contains(text, "credentials") || strings.Contains(text, "SSO") {
		return errors.New("AWS does not know who you are: run `aws configure`, or `aws sso login`")
	}
	return err
}

func firstSentence(text string) string {
	if before, _, found := strings.Cut(text, ". "); found {
		return before + "."
	}
	return text
}
