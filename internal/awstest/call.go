package awstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// A call is a request as the restrictions see it: its model, and its body, which
// has the right shape.
type call struct {
	stream  bool
	modelID string
	base    string // the foundation model in modelID, if it names one
	profile bool   // modelID is not the foundation model's own
	exists  bool   // modelID is one of the account's
	family  Family
	traits  traits

	body   body
	fields fields
}

// A body is the part of a Converse request that restrictions look at.
type body struct {
	Messages []message
	System   []struct {
		Text       *string
		CachePoint *struct{}
	}
	InferenceConfig struct {
		MaxTokens         *int
		Temperature, TopP *float64
		StopSequences     []string
	}
	ToolConfig                   *toolConfig
	AdditionalModelRequestFields json.RawMessage
	OutputConfig                 struct {
		TextFormat *struct {
			Structure struct{ JSONSchema struct{ Schema string } }
		}
	}
	ServiceTier     *struct{ Type string }
	GuardrailConfig *struct{ GuardrailIdentifier, GuardrailVersion string }
}

type message struct {
	Role    string
	Content []contentBlock
}

// A contentBlock is one of a message or of a tool result.
type contentBlock struct {
	Text             *string
	JSON             json.RawMessage
	Image            *media
	Document         *document
	Video, Audio     *struct{}
	ToolUse          *toolUse
	ToolResult       *toolResult
	CachePoint       *struct{}
	ReasoningContent *struct {
		ReasoningText *struct{ Text, Signature string }
	}
}

type media struct {
	Format string
	Source struct{ Bytes []byte }
}

type document struct {
	Name   string
	Source struct{ Bytes []byte }
}

type toolUse struct {
	ToolUseID string
	Name      string
	Input     json.RawMessage
	Type      string
}

type toolResult struct {
	ToolUseID string
	Content   []contentBlock
	Status    string
	Type      string
}

type toolConfig struct {
	Tools []struct {
		ToolSpec   *toolSpec
		CachePoint *struct{}
	}
	ToolChoice *struct {
		Auto, Any *struct{}
		Tool      *struct{ Name string }
	}
}

type toolSpec struct {
	Name        string
	InputSchema struct{ JSON json.RawMessage }
	Strict      bool
}

// fields are the additionalModelRequestFields.
type fields struct {
	all      map[string]json.RawMessage
	thinking struct {
		Type         string
		BudgetTokens *int `json:"budget_tokens"`
	}
}

// A refusal is why a request is not accepted.
type refusal struct{ rule, message string }

// Judge says whether the Server would accept the body of a Converse or
// ConverseStream request, without its being sent: rule is the restriction that it
// breaks and refusal what the service says of it; both are empty if it is accepted.
func (s *Server) Judge(modelID string, stream bool, body []byte) (rule, refusal string) {
	if r := s.check(modelID, stream, body); r != nil {
		return r.rule, r.message
	}
	return "", ""
}

// check judges a request: nil means that it is accepted.
func (s *Server) check(modelID string, stream bool, raw []byte) *refusal {
	value, err := decode(raw)
	if err != nil {
		return &refusal{"shape", "The format of the request body is not valid JSON: " + err.Error()}
	}
	name := "ConverseRequest"
	if stream {
		name = "ConverseStreamRequest"
	}
	if broken := refuseShape(checkShape(name, "", value)); broken != nil {
		return broken
	}
	c := s.newCall(modelID, stream)
	if err := c.decode(raw); err != nil {
		return &refusal{"shape", "The format of the request is invalid: " + err.Error()}
	}
	for _, r := range restrictions {
		if r.check == nil || !r.on(c.traits) {
			continue
		}
		if message := r.check(c); message != "" {
			return &refusal{r.id, message}
		}
	}
	return nil
}

func (s *Server) newCall(modelID string, stream bool) *call {
	c := &call{stream: stream, modelID: modelID}
	c.base, c.profile = baseModel(modelID)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.exists = s.models == nil || s.models[modelID]
	family, told := s.families[modelID]
	if !told {
		family = FamilyOf(modelID)
	}
	var known bool
	if c.traits, known = familyTraits[family]; known {
		c.family = family
	} else {
		c.traits = anything
	}
	return c
}

// decode fills in the body, and the fields if they are an object.
func (c *call) decode(raw []byte) error {
	if err := json.Unmarshal(raw, &c.body); err != nil {
		return err
	}
	additional := c.body.AdditionalModelRequestFields
	if len(additional) == 0 {
		return nil
	}
	if err := json.Unmarshal(additional, &c.fields.all); err != nil {
		return errors.New("additionalModelRequestFields must be an object")
	}
	if t, ok := c.fields.all["thinking"]; ok {
		if err := json.Unmarshal(t, &c.fields.thinking); err != nil {
			return errors.New("thinking must be an object")
		}
	}
	return nil
}

// thinks says whether the model is told to think.
func (c *call) thinks() bool {
	return c.traits.claude && (c.fields.thinking.Type == "enabled" || c.fields.thinking.Type == "adaptive")
}

// decode is one JSON value, its numbers as they are written.
func decode(raw []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing data")
	}
	return value, nil
}
