package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"hyperstudy-endpoint/internal/conformance"
	"hyperstudy-endpoint/internal/openai"
	"hyperstudy-endpoint/internal/toolcall"
)

// maxVerdictBody is the largest body in bytes of a question for a verdict: a
// request and an answer as long as they can be, both quoted.
const maxVerdictBody = 24 << 20

// An exchange is a request and the answer that came to it, both as JSON text.
type exchange struct {
	Request string `json:"request"`
	Answer  string `json:"answer"` // a chat completion
}

// notInForm is the title of a verdict on what clients cannot read.
const notInForm = "Not in the form of a chat completion"

// A verdict says whether an answer is what its request asked for.
type verdict struct {
	Passed bool     `json:"passed"`
	Title  string   `json:"title"`
	Faults []string `json:"faults"` // never nil
}

func failed(title string, faults ...string) verdict {
	return verdict{Title: title, Faults: append([]string{}, faults...)}
}

func passed(format string, args ...any) verdict {
	return verdict{Passed: true, Title: fmt.Sprintf(format, args...), Faults: []string{}}
}

// serveVerdict judges what the page sent and received.
func serveVerdict(w http.ResponseWriter, r *http.Request) {
	var x exchange
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxVerdictBody)).Decode(&x); err != nil {
		http.Error(w, "The body must be JSON with a request and an answer: "+err.Error(), http.StatusBadRequest)
		return
	}
	writeJSON(w, x.judge())
}

// judge looks at the answer as it reached the browser, by the request alone: it
// does not know what the endpoint did to get it.
func (x exchange) judge() verdict {
	req, err := openai.DecodeRequest(strings.NewReader(x.Request))
	if err != nil {
		return failed("Answered although the request is wrong", openai.AsError(err).Message)
	}
	if problem := conformance.FormProblem([]byte(x.Answer)); problem != "" {
		return failed(notInForm, problem)
	}
	var completion openai.ChatCompletion
	if err := json.Unmarshal([]byte(x.Answer), &completion); err != nil {
		return failed(notInForm, err.Error())
	}
	choice := &completion.Choices[0]
	switch {
	case len(req.CallableTools()) > 0:
		return judgeCalls(req, choice)
	case len(choice.Message.ToolCalls) > 0:
		return failed("A call of a tool that was not offered")
	case req.ResponseFormat.WantsJSON():
		return judgeJSON(req.ResponseFormat, choice)
	}
	return judgeText(choice)
}

func judgeText(choice *openai.Choice) verdict {
	said, declined := choice.Message.Content, choice.Message.Refusal
	switch {
	case declined != nil && *declined != "":
		return passed("The model declined")
	case (said == nil || strings.TrimSpace(*said) == "") && choice.FinishReason != openai.FinishLength:
		return failed("No text")
	}
	return passed("Text as the model wrote it")
}

func judgeCalls(req *openai.ChatCompletionRequest, choice *openai.Choice) verdict {
	judge, err := toolcall.New(req)
	if err != nil {
		return failed("The tools cannot be judged by", openai.AsError(err).Message)
	}
	found := judge.Judge(&choice.Message)
	calls := choice.Message.ToolCalls
	if len(calls) == 0 {
		return failed("No tool was called")
	}
	faults := violations(found)
	if found.Problem == toolcall.SeveralToolCalls {
		faults = append(faults, "There are several calls and not one.")
	}
	if len(found.Mended) > 0 {
		faults = append(faults, "It would have to be mended: "+strings.Join(found.Mended, ", ")+".")
	}
	switch {
	case len(faults) > 0:
		return failed("Not valid", faults...)
	case len(calls) > 1:
		return passed("Valid: %d calls", len(calls))
	}
	return passed("Valid: one call of %s", calls[0].Function.Name)
}

func violations(found toolcall.Verdict) []string {
	var list []string
	for _, call := range found.Calls {
		for _, v := range call.Violations {
			list = append(list, sentence(v))
		}
	}
	return list
}

func sentence(v toolcall.Violation) string {
	return strings.TrimSpace(v.Pointer + " " + v.Message)
}

func judgeJSON(format openai.ResponseFormat, choice *openai.Choice) verdict {
	judge, err := toolcall.NewFormat(format)
	if err != nil {
		return failed("The format cannot be judged by", openai.AsError(err).Message)
	}
	if choice.Message.Content == nil {
		return failed("No text")
	}
	_, mended, found := judge.Judge(*choice.Message.Content)
	faults := []string{}
	for _, v := range found {
		faults = append(faults, sentence(v))
	}
	if len(mended) > 0 {
		faults = append(faults, "It would have to be mended: "+strings.Join(mended, ", ")+".")
	}
	if len(faults) > 0 {
		return failed("Not the JSON that was asked for", faults...)
	}
	return passed("Valid JSON")
}
