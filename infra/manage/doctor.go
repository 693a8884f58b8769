package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"hyperstudy-endpoint/internal/config"
)

// A severity is how bad a finding is.
type severity string

const (
	fine    severity = "ok"
	warning severity = "warn"
	fault   severity = "FAIL"
)

// A finding is one line of the doctor's: what was looked at, what was found,
// and, unless it is fine, what to do.
type finding struct {
	severity severity
	what     string
	found    string
	next     string
}

// A plan is the study that the quotas are measured against.
type plan struct {
	agents    int     // in a room
	decisions float64 // of an agent in a minute
	tokens    int     // of a decision, in and out
}

var doctorCommand = command{
	name: "doctor",
	about: "Check whether the account and the deployed endpoint are ready for a study. It looks at credentials, region, access to each model by a real call of one token, " +
		"the endpoint itself, quotas and the largest batch they carry, and at settings that would store what participants write. It changes nothing and spends a few tokens.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		models := f.String("models", "", "check these `models` (alias=provider:model,...) instead of the deployed ones")
		var p plan
		f.IntVar(&p.agents, "agents", 2, "agents in a room")
		f.Float64Var(&p.decisions, "decisions", 5, "decisions of an agent in a minute")
		f.IntVar(&p.tokens, "tokens", 2460, "tokens of a decision, in and out; more with images or reasoning")
		return func(ctx context.Context, s *session) error {
			if p.agents < 1 || p.tokens < 1 || p.decisions == 0 || !isAmount(p.decisions) {
				return usagef("--agents, --decisions and --tokens must be positive")
			}
			return s.doctor(ctx, *models, p)
		}
	},
}

// A doctor goes through the checks and writes each finding as it is made.
type doctor struct {
	*session
	account *account
	stack   *stack // nil if nothing is deployed
	models  []config.Model
	plan    plan
	faults  int
}

func (s *session) doctor(ctx context.Context, models string, p plan) error {
	d := &doctor{session: s, plan: p}
	if d.identity(ctx) {
		d.deployment(ctx, models)
		d.bedrockModels(ctx)
		d.endpoint(ctx)
		d.quotas(ctx)
		d.invocationLogging(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.faults > 0 {
		fmt.Fprintf(s.stdout, "\nCorrect what FAILed before the study.\n")
		return errReported
	}
	fmt.Fprintln(s.stdout, "\nReady. `make verify` checks the answers themselves.")
	return nil
}

func (d *doctor) report(f finding) {
	if f.severity == fault {
		d.faults++
	}
	fmt.Fprintf(d.stdout, "%-4s  %s: %s\n", f.severity, f.what, f.found)
	if f.severity != fine && f.next != "" {
		fmt.Fprintf(d.stdout, "      -> %s\n", f.next)
	}
}

// identity checks who AWS thinks is asking, and where.
func (d *doctor) identity(ctx context.Context) bool {
	a, err := d.reach(ctx)
	if err != nil {
		d.report(finding{fault, "AWS", err.Error(), ""})
		return false
	}
	d.account = a
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	who, err := sts.NewFromConfig(a.cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		d.report(finding{fault, "credentials", explain(err).Error(), ""})
		return false
	}
	d.report(finding{fine, "credentials", "account " + aws.ToString(who.Account) + ", " + aws.ToString(who.Arn), ""})
	d.report(finding{fine, "region", a.cfg.Region, ""})
	return true
}

// deployment finds the stack and what it serves.
func (d *doctor) deployment(ctx context.Context, models string) {
	_, st, err := d.deployed(ctx)
	switch {
	case err == nil:
		d.stack = st
		d.report(finding{fine, "stack", st.name + ", " + st.outputs["BaseUrl"], ""})
		if models == "" {
			models = st.outputs["ServedModels"]
		}
	case models == "":
		d.report(finding{fault, "stack", err.Error(), "before the first deployment, give the models to be checked with --models"})
		return
	default:
		d.report(finding{warning, "stack", err.Error(), "the endpoint itself cannot be checked yet"})
	}
	if d.models, err = parseModels(models, d.account.cfg.Region); err != nil {
		d.report(finding{fault, "models", err.Error(), "correct the parameter Models"})
	}
}

// parseModels reads a value of the parameter Models as the functions do.
func parseModels(models, region string) ([]config.Model, error) {
	settings := map[string]string{
		"MODELS": models, "API_KEY_SECRET": "any", "EXTERNAL_BASE_URL": "https://any.example/v1",
		"AWS_REGION": region, "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any",
	}
	c, err := config.Load(func(name string) string { return settings[name] })
	return c.Models, err
}
