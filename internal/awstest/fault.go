package awstest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// A fault is an answer that is an AWS error.
type fault struct {
	status  int
	code    string // the exception's name
	message string
}

// invalid is the fault of a refused request.
func invalid(message string) *fault {
	return &fault{http.StatusBadRequest, "ValidationException", message}
}

// writeFault answers in the REST JSON protocol.
func writeFault(w http.ResponseWriter, f *fault) {
	w.Header().Set("X-Amzn-ErrorType", f.code+":"+errorSuffix)
	writeJSON(w, f.status, "application/json", object("message", f.message))
}

// errorSuffix is what Bedrock appends to the name of an exception.
const errorSuffix = "http://internal.amazon.com/coral/com.amazon.bedrock/"

// writeTargetFault answers in the AWS JSON 1.1 protocol, where the body names
// the exception.
func writeTargetFault(w http.ResponseWriter, f *fault) {
	key := "Message"
	if strings.HasPrefix(f.code, "Validation") {
		key = "message"
	}
	writeJSON(w, f.status, targetJSON, object("__type", f.code, key, f.message))
}

// targetJSON is the content type of the AWS JSON 1.1 protocol.
const targetJSON = "application/x-amz-json-1.1"

func writeJSON(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // JSON, which no browser renders
}

// object is a JSON object of string members, in the order given.
func object(pairs ...string) []byte {
	b := []byte{'{'}
	for i, s := range pairs {
		switch {
		case i%2 == 1:
			b = append(b, ':')
		case i > 0:
			b = append(b, ',')
		}
		b = append(b, quote(s)...)
	}
	return append(b, '}')
}

// quote is s as a JSON string.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // no string fails to marshal
		return `""`
	}
	return string(b)
}
