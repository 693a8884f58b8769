package app_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestMutatedAnswers has the null agent draw valid answers, spoils their text at
// random, and lets a model give the result: whatever comes out of the endpoint
// satisfies the schema, and what was valid comes out as it went in.
func TestMutatedAnswers(t *testing.T) {
	t.Parallel()
	null := deploy(t, "agent=baseline:random")
	drawn := map[string][]string{}
	list := fixtures(t)
	for _, f := range list {
		if f.Kind != "decision" || f.Tool != "submit_response" {
			continue
		}
		for seed := range 3 {
			body := with(t, f.body, `"model":"agent","stream":false,"stream_options":null,"tool_choice":{"type":"function","function":{"name":"submit_response"}},"seed":`+strconv.Itoa(seed))
			c := null.post(t, body).completion(t)
			_, arguments := c.call(t)
			drawn[f.name] = append(drawn[f.name], arguments)
		}
	}
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b, "MAX_REASKS=0")
			rng := rand.New(rand.NewPCG(7, 11))
			var good, mended, refused int
			for _, f := range list {
				if f.Images || f.Ignores || len(drawn[f.name]) == 0 || f.name == "large-memories" {
					continue
				}
				schema := compile(t, f.offered(t)["submit_response"])
				for _, valid := range drawn[f.name] {
					for range 12 {
						text := mutated(rng, valid)
						if !b.isExternal() && !json.Valid([]byte(text)) {
							continue // Bedrock has no way to say it
						}
						a := s.ask(t, f.body, submits(text))
						switch s.outcome(t, a, schema, text) {
						case "good":
							good++
						case "mended":
							mended++
						default:
							refused++
						}
					}
				}
			}
			if good < 20 || mended < 20 || refused < 20 {
				t.Errorf("%d good, %d mended, %d refused: the mutations say little", good, mended, refused)
			}
			s.nothingRefused(t)
		})
	}
}

// outcome checks what became of one answer, and names it.
func (s *stage) outcome(t *testing.T, a answer, schema *jsonschema.Schema, text string) string {
	t.Helper()
	if a.status != 200 {
		a.failed(t, 502, "invalid_tool_call", "")
		if satisfies(schema, text) {
			t.Errorf("%s is valid and was refused", text)
		}
		return "refused"
	}
	c := a.completion(t)
	_, arguments := c.call(t)
	if !satisfies(schema, arguments) {
		t.Errorf("%s came out as %s, which is not valid", text, arguments)
	}
	if satisfies(schema, text) {
		if arguments != text || a.header.Get("X-Endpoint-Mended") != "" {
			t.Errorf("%s is valid and came out as %s", text, arguments)
		}
		return "good"
	}
	if a.header.Get("X-Endpoint-Mended") == "" {
		t.Errorf("%s came out as %s, and nothing is said of it", text, arguments)
	}
	return "mended"
}

// mutated changes a text in one of the ways in which models get it wrong.
func mutated(rng *rand.Rand, text string) string {
	at := rng.IntN(len(text))
	switch rng.IntN(9) {
	case 0:
		return text
	case 1: // white space means nothing
		return string(bytes.ReplaceAll([]byte(text), []byte(`":`), []byte(`" : `)))
	case 2:
		return text[:at]
	case 3:
		return text[:at] + text[at+1:]
	case 4:
		return text[:at] + string(`0123456789"{}[],:-.e null`[rng.IntN(25)]) + text[at:]
	case 5: // encoded once more
		return compactJSON(text)
	case 6: // in a wrapper
		return `{"arguments":` + text + `}`
	case 7:
		return text[:len(text)-1] + `,"note":"because"}`
	default: // the value as text
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &o) != nil {
			return text
		}
		return `{"value":` + compactJSON(string(o["value"])) + `}`
	}
}

// satisfies reports whether a text is one JSON object that satisfies the schema
// and has a single meaning.
func satisfies(schema *jsonschema.Schema, text string) bool {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	return err == nil && isObject(text) && schema.Validate(value) == nil
}
