package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestErrorJSON(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		err  *Error
		want string
	}{
		{"everything", &Error{Status: 400, Message: "m", Type: TypeInvalidRequest, Param: "p", Code: "c", Temporary: true, RetryAfter: time.Second, Usage: Usage{TotalTokens: 1}, Err: errors.New("secret")},
			`{"message":"m","type":"invalid_request_error","param":"p","code":"c"}`},
		{"nulls", &Error{Status: 500, Message: "m", Type: TypeServer}, `{"message":"m","type":"server_error","param":null,"code":null}`},
		{"invalid value", InvalidValue("a.b", "%s of %d", "one", 2), `{"message":"one of 2","type":"invalid_request_error","param":"a.b","code":"invalid_value"}`},
		{"missing", Missing("messages"), `{"message":"Missing required parameter: 'messages'.","type":"invalid_request_error","param":"messages","code":"missing_required_parameter"}`},
		{"unsupported", Unsupported("n", "No."), `{"message":"No.","type":"invalid_request_error","param":"n","code":"unsupported_parameter"}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(map[string]*Error{"error": tc.err})
			if err != nil || string(got) != `{"error":`+tc.want+`}` {
				t.Errorf("got %s, %v", got, err)
			}
			if tc.err.Error() != tc.err.Message {
				t.Errorf("text is %q", tc.err.Error())
			}
		})
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	own := InvalidValue("p", "m")
	if got := AsError(fmt.Errorf("while answering: %w", own)); got != own {
		t.Errorf("got %+v", got)
	}
	cause := errors.New("password hunter2 refused")
	got := AsError(cause)
	if got.Status != http.StatusInternalServerError || got.Type != TypeServer || got.Code != CodeInternal || !errors.Is(got, cause) {
		t.Errorf("got %+v", got)
	}
	if strings.Contains(got.Error(), "hunter2") {
		t.Errorf("the message holds the cause: %s", got.Message)
	}
}
