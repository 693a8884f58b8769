package external

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

const (
	maxText       = 2 << 10 // of one thing that an upstream says that is looked at, in bytes
	maxTexts      = 8 << 10 // of all of them
	maxComplaints = 32      // that are looked at
	maxCodes      = 32      // that are looked at
	maxDepth      = 4       // of error objects inside of error objects
)

// A complaint is one thing that an upstream did not like about a request.
type complaint struct {
	place string // where it is, such as "seed" or "messages[0].role"; may be empty
	text  string // what is said about it; it may quote the prompt
	kind  string // its type or code
}

// A fault is an error that the upstream reported, in whatever shape. What it
// says is matched against patterns and goes no further.
type fault struct {
	status     int
	retryAfter time.Duration
	shaped     bool        // the body was an error object and not some page
	codes      []string    // every code, type and status word in it, in lower case
	said       []complaint // what was said, until it is settled what of it counts
	complaints []complaint
	topic      topic  // of the complaints
	generation string // what the model wrote, where the upstream could make no call of it
	vague      bool   // neither its status nor a code says what kind of error it is
	quotes     bool   // it repeated what stands in the messages
	size       int    // of what was said, in bytes
	emitted    bool   // a part of the answer was handed out before
	usage      openai.Usage
}

func (f *fault) Error() string {
	return "the upstream answered with status " + strconv.Itoa(f.status)
}

// has reports whether one of the upstream's codes is among those given.
func (f *fault) has(codes ...string) bool {
	for _, have := range f.codes {
		for _, code := range codes {
			if have == code {
				return true
			}
		}
	}
	return false
}

// says reports whether the pattern matches anything the upstream said.
func (f *fault) says(p pattern) bool {
	for _, c := range f.complaints {
		if p.MatchString(c.text) {
			return true
		}
	}
	return false
}

// read takes in the body of an error reply.
func (f *fault) read(body []byte) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if o, ok := object(firstOf(body)); ok {
		f.shaped = true
		f.readObject(&o, 0)
		return
	}
	if len(body) > 0 && body[0] != '<' {
		f.say("", string(body), "")
	}
}

// readObject reads an error object of OpenAI, Azure, OpenRouter, Google, vLLM,
// Mistral, FastAPI, Cloudflare or Ollama: they differ in what stands around the
// same few members.
func (f *fault) readObject(o *openai.Object, depth int) {
	if depth > maxDepth {
		return
	}
	kind := f.readCodes(o)
	if raw := o.Get("failed_generation"); f.has("tool_use_failed") && openai.IsUnicode(raw) { // Groq
		f.generation = text(raw)
	}
	for _, name := range []string{"error", "message", "detail", "errors", "innererror"} {
		f.readValue(o.Get(name), text(o.Get("param")), kind, depth)
	}
	if metadata, ok := member(o, "metadata"); ok { // OpenRouter: what the server behind it said
		f.readValue(metadata.Get("raw"), "", "", depth)
		if metadata.Has("reasons") {
			f.codes = append(f.codes, "moderation")
		}
	}
	for _, detail := range list(o.Get("details")) { // Google
		d, _ := object(detail)
		if reason := text(d.Get("reason")); reason != "" && len(reason) <= maxText && len(f.codes) < maxCodes {
			f.codes = append(f.codes, strings.ToLower(reason))
		}
		for _, violation := range list(d.Get("fieldViolations")) {
			v, _ := object(violation)
			f.say(text(v.Get("field")), text(v.Get("description")), kind)
		}
		if f.retryAfter == 0 {
			f.retryAfter = delay(text(d.Get("retryDelay")))
		}
	}
}

// readCodes notes the codes of an error object and the status among them.
func (f *fault) readCodes(o *openai.Object) string {
	var kinds []string
	for _, name := range []string{"code", "type", "status"} {
		code := strings.ToLower(word(o.Get(name)))
		if code == "" || len(code) > maxText || len(f.codes) == maxCodes {
			continue
		}
		kinds = append(kinds, code)
		if n, err := strconv.Atoi(code); err == nil && f.status < 400 && n >= 400 && n <= 599 {
			f.status = n
		}
	}
	f.codes = append(f.codes, kinds...)
	return strings.Join(kinds, " ")
}

// readValue reads a message, which may be text, JSON in text, an object, or a
// list of FastAPI's complaints.
func (f *fault) readValue(raw json.RawMessage, place, kind string, depth int) {
	if o, ok := object(raw); ok {
		f.readObject(&o, depth+1)
		return
	}
	if items := list(raw); items != nil {
		for _, item := range items {
			if c, ok := object(item); ok {
				f.readItem(&c, depth)
			} else {
				f.say("", text(item), kind)
			}
			if f.full() {
				return
			}
		}
		return
	}
	said := text(raw)
	if inner, ok := object(json.RawMessage(said)); ok {
		f.readObject(&inner, depth+1)
		return
	}
	f.say(place, said, kind)
}

// readItem reads {"loc": ["body", "seed"], "msg": "...", "type": "..."}.
func (f *fault) readItem(o *openai.Object, depth int) {
	loc := list(o.Get("loc"))
	if loc == nil {
		f.readObject(o, depth+1)
		return
	}
	var path []string
	for _, part := range loc {
		if name := word(part); name != "body" {
			path = append(path, name)
		}
	}
	f.say(strings.Join(path, "."), text(o.Get("msg")), text(o.Get("type")))
}

// Lists of complaints that servers print as text. What follows an input is the caller's.
var (
	// vLLM's, as Python prints them.
	pydantic = lazily(`'type': '([^']*)', 'loc': [(\[]([^)\]]*)[)\]], 'msg': ['"](.*?)['"], 'input'`)
	// Pydantic's own, in lines.
	validation = lazily(`(?m)^([\w.-]+)\n +(.*) \[type=(\w+), input_value=`)
	// Google's, one a line.
	unknownName = lazily(`Unknown name \\?"[\w.]+\\?"[^\n]*`)
)

// badParam are llama-server's words for what it will never take. Its status for
// them is 500, see https://github.com/ggml-org/llama.cpp/issues/10920.
var badParam = lazily(`^Unsupported param: \w+$|^tools param requires --jinja`)

// unreadableOutput is what llama-server says where it could not read what its
// model had written.
var unreadableOutput = lazily(`model produced output that does not match the expected`)

// unreadable reports whether the server could not read its own model.
func (f *fault) unreadable() bool {
	return f.status == http.StatusInternalServerError && f.says(unreadableOutput)
}

// say notes a complaint.
func (f *fault) say(place, said, kind string) {
	if said == "" || f.full() {
		return
	}
	f.size += min(len(said), maxText)
	f.said = append(f.said, complaint{place[:min(len(place), maxText)], said[:min(len(said), maxText)], kind[:min(len(kind), maxText)]})
}

// full reports whether the upstream has said as much as is looked at.
func (f *fault) full() bool { return f.size >= maxTexts || len(f.said) >= maxComplaints }

// settle turns what was said into complaints, without what the upstream quotes
// from the messages: participants must not steer what a model is sent.
func (f *fault) settle(req *openai.ChatCompletionRequest) {
	f.quotes = unquote(f.said, req.Messages)
	for _, c := range f.said {
		f.complain(c.place, c.text, c.kind)
	}
	f.said = nil
	f.complaints = f.complaints[:min(len(f.complaints), maxComplaints)]
	if f.status == http.StatusInternalServerError && f.says(badParam) {
		f.status = http.StatusBadRequest
	}
	f.topic = f.about()
}

// complain notes a complaint, or each one of a list.
func (f *fault) complain(place, said, kind string) {
	if found := printed(said); found != nil {
		f.complaints = append(f.complaints, found...)
		return
	}
	if lines := unknownName.FindAllStringSubmatch(said); lines != nil {
		for _, m := range lines {
			f.complaints = append(f.complaints, complaint{place, m[0], kind})
		}
		return
	}
	f.complaints = append(f.complaints, complaint{place, said, kind})
}

// printed returns the complaints of a list of Pydantic's.
func printed(said string) []complaint {
	var found []complaint
	for _, m := range pydantic.FindAllStringSubmatch(said) {
		path := strings.NewReplacer("'", "", " ", "").Replace(m[2])
		path = strings.Trim(strings.TrimPrefix(path, "body"), ",")
		found = append(found, complaint{strings.ReplaceAll(path, ",", "."), m[3], m[1]})
	}
	if found != nil {
		return found
	}
	for _, m := range validation.FindAllStringSubmatch(said) {
		found = append(found, complaint{strings.TrimPrefix(m[1], "body."), m[2], m[3]})
	}
	return found
}

// reported returns the fault of an error object that stands where a completion
// should, under a status that says all is well.
func reported(o *openai.Object) *fault {
	f := &fault{shaped: true}
	f.readObject(o, 0)
	switch {
	case f.status != 0:
	case f.has("invalid_request_error", "badrequesterror", "invalid_argument"):
		f.status = http.StatusBadRequest
	case f.has("rate_limit_error", "rate_limit_exceeded", "resource_exhausted"):
		f.status = http.StatusTooManyRequests
	default:
		f.status, f.vague = http.StatusBadGateway, true
	}
	return f
}

// delay reads a duration in protobuf's form, which has seconds alone, or in Go's.
func delay(s string) time.Duration {
	seconds, _ := strings.CutSuffix(s, "s")
	if d, err := time.ParseDuration(s); err == nil {
		seconds = strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
	}
	return openai.RetryAfter(http.Header{"Retry-After": {seconds}}, time.Time{})
}
