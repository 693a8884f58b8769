package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"hyperstudy-endpoint/internal/price"
)

// Prices of AWS beside those of [price]; other regions differ by some per cent.
// Prices of models are not here: they change too often.
const (
	priceLogGB       = 0.50
	priceTransferGB  = 0.09
	priceSecretMonth = 0.40
	priceSecretCall  = 0.05 / 1e4
	priceMetricHour  = 0.30 / 730
	priceAlarmMonth  = 0.10
)

// What a request moves besides the model's tokens, in bytes: the answer, and
// the log line with Lambda's own lines around it.
const (
	answerBytes = 4 << 10
	logBytes    = 3 << 9
)

// A workload is what a cost is computed of.
type workload struct {
	rooms, agents, decisions int     // decisions of an agent in the whole study
	tokensIn, tokensOut      int     // of a decision
	seconds                  float64 // a decision takes
	memoryMB                 int
	reasks                   float64 // share of decisions that are asked twice
	priceIn, priceOut        float64 // dollars a million tokens
	months, hours            float64 // that the stack exists, and in which requests come
	secrets, metrics, alarms int
}

var costCommand = command{
	name:  "cost",
	about: "Compute what a study costs. Prices of AWS are those of us-east-1 in " + price.AsOf + "; the model's price is yours to give. It asks nobody and changes nothing.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		w := workload{}
		f.IntVar(&w.rooms, "rooms", 100, "rooms of the study")
		f.IntVar(&w.agents, "agents", 2, "agents in a room")
		f.IntVar(&w.decisions, "decisions", 30, "decisions of an agent in all")
		f.IntVar(&w.tokensIn, "tokens-in", 2400, "input tokens of a decision")
		f.IntVar(&w.tokensOut, "tokens-out", 60, "output tokens of a decision, reasoning included")
		f.Float64Var(&w.seconds, "seconds", 2, "seconds a decision takes")
		f.IntVar(&w.memoryMB, "memory", 256, "MemorySize of the stack, in MB")
		f.Float64Var(&w.reasks, "reasks", 0.03, "share of decisions that the model is asked for twice")
		f.Float64Var(&w.months, "months", 1, "months the stack exists")
		f.IntVar(&w.secrets, "secrets", 1, "secrets: 2 with a key for an external LLM")
		f.Float64Var(&w.hours, "hours", 2, "hours in which requests come")
		f.IntVar(&w.metrics, "metrics", 6, "custom metrics: 4, and 2 for each model")
		f.IntVar(&w.alarms, "alarms", 0, "metrics with an alarm: 8 with AlarmEmail")
		modelPrice := f.String("price", "", "the model's price `IN/OUT` in dollars for a million tokens, for example 1/5")
		return func(_ context.Context, s *session) error {
			if err := checkNumbers(f); err != nil {
				return err
			}
			return s.cost(w, *modelPrice)
		}
	},
}

// checkNumbers refuses numbers that are no amounts, by the names of their flags.
func checkNumbers(flags *flag.FlagSet) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		var n float64
		if value, ok := f.Value.(flag.Getter); ok {
			switch number := value.Get().(type) {
			case int:
				n = float64(number)
			case float64:
				n = number
			}
		}
		if !isAmount(n) {
			err = errors.Join(err, usagef("--%s is %v: it must be 0 or more", f.Name, n))
		}
	})
	return err
}

// isAmount reports whether a number is 0 or more, and one at all.
func isAmount(n float64) bool { return n >= 0 && !math.IsInf(n, 1) }

func (s *session) cost(w workload, modelPrice string) error {
	if modelPrice != "" {
		in, out, _ := strings.Cut(modelPrice, "/")
		var err1, err2 error
		w.priceIn, err1 = strconv.ParseFloat(in, 64)
		w.priceOut, err2 = strconv.ParseFloat(out, 64)
		if err1 != nil || err2 != nil || !isAmount(w.priceIn) || !isAmount(w.priceOut) {
			return usagef("--price is IN/OUT in dollars for a million tokens, for example 1/5")
		}
	}
	fmt.Fprintf(s.stdout, "%d rooms of %d agents, %d decisions each; %d tokens in and %d out, and %g s, a decision\n\n", w.rooms, w.agents, w.decisions, w.tokensIn, w.tokensOut, w.seconds)
	out := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	total := 0.0
	for _, row := range w.rows() {
		total += row.dollars
		dollars := fmt.Sprintf("$%.2f", row.dollars)
		if modelPrice == "" && strings.HasPrefix(row.what, "model") {
			dollars = "?"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t\n", row.what, row.amount, dollars)
	}
	fmt.Fprintf(out, "total%s\t\t$%.2f\t\n", map[bool]string{true: " without the model"}[modelPrice == ""], total)
	if err := out.Flush(); err != nil {
		return err
	}
	if modelPrice == "" {
		fmt.Fprintln(s.stdout, "\nThe model's tokens are not in it: give its price with --price IN/OUT (https://aws.amazon.com/bedrock/pricing/).")
	}
	return nil
}

// A costRow is one item of the bill.
type costRow struct {
	what, amount string
	dollars      float64
}

// requests is how many decisions there are, and calls how often a model is asked.
func (w workload) requests() float64 {
	return float64(w.rooms) * float64(w.agents) * float64(w.decisions)
}
func (w workload) calls() float64 { return w.requests() * (1 + w.reasks) }

func (w workload) rows() []costRow {
	n, calls := w.requests(), w.calls()
	if n == 0 {
		w.hours = 0
	}
	in, out := calls*float64(w.tokensIn)/1e6, calls*float64(w.tokensOut)/1e6
	gbSeconds := calls * w.seconds * float64(w.memoryMB) / 1024
	busyMinutes := calls * w.seconds / 60 // of all environments; each reads the key once a minute
	logGB, transferGB := n*logBytes/1e9, n*answerBytes/1e9
	return []costRow{
		{"model, input", fmt.Sprintf("%.2f M tokens", in), in * w.priceIn},
		{"model, output", fmt.Sprintf("%.2f M tokens", out), out * w.priceOut},
		{"Lambda, time", fmt.Sprintf("%.0f GB-s", gbSeconds), gbSeconds * price.LambdaGBSecond},
		{"Lambda and API Gateway, requests", fmt.Sprintf("%.0f", n), n * (price.LambdaRequest + price.APIRequest)},
		{"logs and traffic", fmt.Sprintf("%.3f GB", logGB+transferGB), logGB*priceLogGB + transferGB*priceTransferGB},
		{"secrets", fmt.Sprintf("%d, months: %g", w.secrets, w.months), float64(w.secrets)*w.months*priceSecretMonth + busyMinutes*priceSecretCall},
		{"metrics", fmt.Sprintf("%d, hours: %g", w.metrics, w.hours), float64(w.metrics) * w.hours * priceMetricHour},
		{"alarms", fmt.Sprintf("%d, months: %g", w.alarms, w.months), float64(w.alarms) * w.months * priceAlarmMonth},
	}
}
