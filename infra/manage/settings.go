package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"hyperstudy-endpoint/internal/config"
)

var settingsCommand = command{
	name: "settings",
	about: "Put together the settings of a deployment and print them as arguments of sam deploy. They are those of samconfig.toml, then --set, then --models. " +
		"At a first deployment it asks for those few that nobody has set and that differ from study to study. What cannot work is refused before anything is built. " +
		"`make deploy` begins with it.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		file := f.String("samconfig", "samconfig.toml", "`file` with SAM's own settings")
		set := f.String("set", "", "parameters of template.yaml as `Name=value`, separated by blanks; a value with blanks in double quotes")
		models := f.String("models", "", "value of the parameter Models")
		return func(ctx context.Context, s *session) error {
			values, err := readSettings(*file)
			if err != nil {
				return err
			}
			if err := values.add(fields(*set)); err != nil {
				return err
			}
			if *models != "" {
				values.set("Models", *models)
			}
			return s.settings(ctx, values)
		}
	},
}

// settings completes the values, checks them and prints them.
func (s *session) settings(ctx context.Context, values *parameters) error {
	_, _, err := s.deployed(ctx)
	var absent *noStackError
	first := errors.As(err, &absent)
	if err != nil && !first {
		return err
	}
	if first && s.terminal {
		if err := s.ask(values); err != nil {
			return err
		}
	}
	if err := values.check(s.account.cfg.Region, first); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, values)
	return nil
}

// parameters are values of the template's parameters in the order in which
// they were set.
type parameters struct {
	names  []string
	values map[string]string
}

func (p *parameters) set(name, value string) {
	if _, known := p.values[name]; !known {
		p.names = append(p.names, name)
	}
	p.values[name] = value
}

func (p *parameters) add(pairs []string) error {
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return usagef("%q is no setting: write Name=value, with a name of template.yaml, and a value with blanks in double quotes", pair)
		}
		p.set(name, strings.Trim(value, `"`))
	}
	return nil
}

// fields splits text at blanks that are not between double quotes.
func fields(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && unicode.IsSpace(r)
	})
}

// String is the settings as words that a POSIX shell and then sam take as they are.
func (p *parameters) String() string {
	var words []string
	for _, name := range p.names {
		value := p.values[name]
		if strings.ContainsAny(value, " \t\n") || value == "" {
			value = strconv.Quote(value)
		}
		words = append(words, quote(name+"="+value))
	}
	return strings.Join(words, " ")
}

// readSettings reads parameter_overrides of `sam deploy` from its configuration:
// sam would take no notice of them once it is given others.
func readSettings(file string) (*parameters, error) {
	p := &parameters{values: map[string]string{}}
	var samconfig struct {
		Default struct {
			Deploy struct {
				Parameters struct {
					Overrides any `toml:"parameter_overrides"`
				}
			}
		}
	}
	if _, err := toml.DecodeFile(file, &samconfig); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return p, nil
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	switch overrides := samconfig.Default.Deploy.Parameters.Overrides.(type) {
	case nil:
	case string:
		return p, p.add(fields(overrides))
	case []any:
		var pairs []string
		for _, o := range overrides {
			pairs = append(pairs, fmt.Sprint(o))
		}
		return p, p.add(pairs)
	default:
		return nil, fmt.Errorf(`%s: parameter_overrides must be a list of strings such as "Models=a=baseline:random"`, file)
	}
	return p, nil
}

// mostModels is how many entries the template can derive rights from.
const mostModels = 6

// defaultRegions are where the template's default model is offered, as its rule
// DefaultModelNeedsItsRegion has them.
var defaultRegions = []string{"us-east-1", "us-east-2", "us-west-2", "eu-central-1", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-3"}

// check refuses what the template or the functions would refuse only after
// everything has been built and uploaded.
func (p *parameters) check(region string, first bool) error {
	models := p.values["Models"]
	if models == "" {
		if first && !slices.Contains(defaultRegions, region) {
			return fmt.Errorf("the default model is not offered in %s: name one that is (MODELS='alias=bedrock:MODEL-ID'), or deploy in another region", region)
		}
		return nil
	}
	list, err := deployable(models, region)
	if err != nil {
		return err
	}
	for _, m := range list {
		if first && m.Provider == config.ProviderExternal && m.BaseURL == nil && p.values["ExternalBaseUrl"] == "" {
			return fmt.Errorf("%s is external and has no address: add SETTINGS='ExternalBaseUrl=https://… ExternalApiKeySecretArn=ARN', or base_url= and key_secret= to the model", m.Alias)
		}
	}
	return nil
}

// deployable reads a value of Models, and refuses what only a deployment does not take.
func deployable(models, region string) ([]config.Model, error) {
	switch entries := strings.Split(models, ","); {
	case strings.ContainsAny(models, " \t\n"):
		return nil, errors.New("the list of models must not have blanks: CloudFormation cannot take them out")
	case len(entries) > mostModels:
		return nil, fmt.Errorf("the list of models has %d entries, and a deployment takes %d at most", len(entries), mostModels)
	}
	return parseModels(models, region)
}

// defaultModel says which model a deployment without Models serves.
func defaultModel(region string) string {
	if !slices.Contains(defaultRegions, region) {
		return "none is offered in " + region
	}
	geography, _, _ := strings.Cut(region, "-")
	return "Amazon Nova 2 Lite, " + geography + ".amazon.nova-2-lite-v1:0"
}
