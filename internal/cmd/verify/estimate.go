package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/conformance"
	"hyperstudy-endpoint/internal/wording"
)

// From these amounts on a person is asked first.
const (
	askAboveMoney  = 1.0
	askAboveTokens = 250_000
)

// A price is what a million of a model's tokens cost in USD.
type price struct {
	In  float64 `json:"in"`
	Out float64 `json:"out"`
}

func parsePrice(text string) (*price, error) {
	in, out, ok := strings.Cut(text, "/")
	i, errIn := strconv.ParseFloat(strings.TrimSpace(in), 64)
	o, errOut := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !ok || errIn != nil || errOut != nil || !(i >= 0 && o >= 0) || math.IsInf(i+o, 0) {
		return nil, hint(fmt.Errorf("--price is %q", text), "Give what a million input and a million output tokens of the model cost in USD, such as 0.30/2.50.")
	}
	return &price{i, o}, nil
}

// String tells the price.
func (p price) String() string {
	dollars := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) + " USD" }
	return dollars(p.In) + " a million input and " + dollars(p.Out) + " a million output tokens"
}

// of is what tokens cost in USD.
func (p price) of(in, out int) float64 {
	return (float64(in)*p.In + float64(out)*p.Out) / 1e6
}

// An estimate is what a run will take at the most with usual models.
type estimate struct {
	conformance.Cost
	checks int
	price  *price
}

func newEstimate(s settings) estimate {
	checks := conformance.Checks(s.checks)
	return estimate{Cost: conformance.Total(checks), checks: len(checks), price: s.price}
}

func (e estimate) money() float64 { return e.price.of(e.PromptTokens, e.CompletionTokens) }

func (e estimate) worthAsking() bool {
	if e.price != nil {
		return e.money() > askAboveMoney
	}
	return e.PromptTokens+e.CompletionTokens > askAboveTokens
}

// String is what is said before anything is spent.
func (e estimate) String() string {
	said := fmt.Sprintf("Estimate  %s, at most %s, about %s input and %s output tokens of the model",
		wording.Count(e.checks, "check"), wording.Count(e.Requests, "request"), wording.Thousands(e.PromptTokens), wording.Thousands(e.CompletionTokens))
	if e.price == nil {
		return said + " (--price tells what they cost)"
	}
	return said + fmt.Sprintf(": %s at %s", usd(e.money()), e.price)
}
