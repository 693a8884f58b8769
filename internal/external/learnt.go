package external

import (
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// maxCompanies is in how much different company what was learnt is kept.
const maxCompanies = 64

// A company is what a parameter is sent together with, as far as servers are
// known to care: one takes temperature unless it reasons, another reasoning unless
// tools are offered. What is lost in one company may be taken in another.
type company struct {
	model string
	tools bool
	with  string // raw values of the members in keptCompany, one a line; empty for what is lost nowhere
}

// keptCompany are the members by whose values servers decide about others.
var keptCompany = []string{"reasoning_effort", "reasoning", "thinking", "enable_thinking", "stream"}

// companyOf returns the company that a request's parameters are in.
func companyOf(req *openai.ChatCompletionRequest) company {
	var with strings.Builder
	for _, name := range keptCompany {
		with.WriteString(string(req.Body.Get(name)) + "\n")
	}
	format, _ := member(&req.Body, "response_format")
	with.WriteString(text(format.Get("type")))
	return company{model: req.Model, tools: req.Body.Has("tools"), with: with.String()}
}

// loses reports whether an adjustment takes the effect of a parameter away. Other
// names, other roles, other words for a choice and least limits lose nothing.
func (a adjustment) loses() bool {
	switch a.action {
	case rename, raise, systemRole, plainChoice, streamOn, streamOff:
		return false
	case drop:
		return a.without == ""
	case looseTools, looseSchema, autoChoice:
	}
	return true
}

// known returns what was learnt for a request: what loses nothing from requests
// of every kind, and the rest from those in the same company.
func (p *Provider) known(req *openai.ChatCompletionRequest) []adjustment {
	p.mu.Lock()
	defer p.mu.Unlock()
	everywhere := p.learnt[company{model: req.Model}]
	return append(everywhere[:len(everywhere):len(everywhere)], p.learnt[companyOf(req)]...)
}

// learn keeps what the upstream has just accepted. Slices that were handed out
// are never written to.
func (p *Provider) learn(req *openai.ChatCompletionRequest, accepted []adjustment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range accepted {
		where := company{model: req.Model}
		if a.loses() {
			where = companyOf(req)
		}
		have, kept := p.learnt[where]
		if !kept && len(p.learnt) >= maxCompanies {
			continue // found anew each time
		}
		if len(have) < maxLearnt && !slices.Contains(have, a) && !slices.ContainsFunc(have, a.undoes) {
			p.learnt[where] = append(have[:len(have):len(have)], a)
		}
	}
}
