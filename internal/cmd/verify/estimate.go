package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"hyperstudy-endpoint/internal/conformance"
)

// From these amounts on a person is asked first.
const (
	askAboveMoney  = 1.0
	askAboveTokens = 250_000
)

// A price is what a million tokens cost, in a currency that only its giver knows.
type price struct {
	In  float64 `json:"in"`
	Out float64 `json:"out"`
}

func parsePrice(text string) (*price, error) {
	in, out, ok := strings.Cut(text, "/")
	i, errIn := strconv.ParseFloat(strings.TrimSpace(in), 64)
	o, errOut := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !ok || errIn != nil || errOut != nil || !(i >= 0 && o >= 0) || math.IsInf(i+o, 0) {
		return nil, hint(fmt.Errorf("--price is %q", text), "Give what a million input and a million output tokens cost, such as 0.30/2.50.")
	}
	return &price{i, o}, nil
}

// of is what tokens cost.
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
	said := fmt.Sprintf("Estimate  %s, at most %s, about %s input and %s output tokens", count(e.checks, "check"), count(e.Requests, "request"), thousands(e.PromptTokens), thousands(e.CompletionTokens))
	if e.price == nil {
		return said + " (--price IN/OUT turns them into money)"
	}
	return said + fmt.Sprintf(": %s at %s/%s a million", money(e.money()), number(e.price.In), number(e.price.Out))
}
