package load

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"

	"hyperstudy-endpoint/internal/cmd/bench/batch"
)

// bytesPerToken is what a token of English text has, about.
const bytesPerToken = 4

// bodies are the requests of a batch; what differs between agents does not
// matter to their cost.
type bodies struct {
	decision, cognition []byte
}

const tools = `[
 {"type":"function","function":{"name":"submit_response","description":"Submit your answer.","parameters":{"type":"object","properties":{"value":{"type":"number","minimum":0,"maximum":100}},"required":["value"],"additionalProperties":false}}},
 {"type":"function","function":{"name":"send_chat","description":"Send a message.","parameters":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}}},
 {"type":"function","function":{"name":"wait","description":"Do nothing for now.","parameters":{"type":"object","properties":{}}}}]`

func newBodies(s batch.Scenario) bodies {
	text := strings.Repeat("You see a scale and think about it. ", s.In*bytesPerToken/36)
	content := []any{map[string]any{"type": "text", "text": "How do you feel about this, from 0 to 100?"}}
	if s.Picture {
		content = append(content, map[string]any{"type": "image_url", "image_url": map[string]any{"url": picture()}})
		text = text[:len(text)/2] // the picture has the other tokens
	}
	messages, _ := json.Marshal([]any{ // strings and maps of strings cannot fail
		map[string]any{"role": "system", "content": "You are Robin, who takes part in a study. " + text},
		map[string]any{"role": "user", "content": content},
	})
	return bodies{
		decision:  fmt.Appendf(nil, `{"model":"default","messages":%s,"tools":%s,"tool_choice":"auto","max_tokens":1024}`, messages, tools),
		cognition: fmt.Appendf(nil, `{"model":"default","messages":%s,"max_tokens":1024}`, messages),
	}
}

// picture is a data URL of about 400 KB, as of a photograph that fills a screen.
func picture() string {
	img := image.NewNRGBA(image.Rect(0, 0, 360, 270))
	_, _ = rand.NewChaCha8([32]byte{}).Read(img.Pix) // noise, which does not compress
	var file bytes.Buffer
	_ = png.Encode(&file, img) // to memory
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes())
}

// ask makes one call as HyperStudy does.
func (e *endpoint) ask(ctx context.Context, c batch.Call) error {
	body := e.bodies.decision
	if c.Cognition {
		body = e.bodies.cognition
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+apiKey)
	req.Header.Set("Content-Type", "application/json")
	res, err := e.client.Do(req)
	if err != nil {
		e.failures.add("no answer")
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err == nil {
		err = check(res.StatusCode, answer, c.Cognition)
	}
	if err != nil {
		e.failures.add(err.Error())
	}
	return err
}

// check reads an answer as HyperStudy does: a decision is one tool call.
func check(status int, answer []byte, cognition bool) error {
	var a struct {
		Error   struct{ Code string }
		Choices []struct {
			Message struct {
				ToolCalls []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return fmt.Errorf("%d, not JSON", status)
	}
	switch {
	case status != http.StatusOK:
		return fmt.Errorf("%d %s", status, a.Error.Code)
	case len(a.Choices) != 1:
		return fmt.Errorf("%d choices", len(a.Choices))
	case !cognition && (len(a.Choices[0].Message.ToolCalls) != 1 || a.Choices[0].Message.ToolCalls[0].Function.Arguments != `{"value":72}`):
		return errors.New("a wrong decision")
	}
	return nil
}

// counts count by name, for many at once.
type counts struct {
	mu     sync.Mutex
	byName map[string]int
}

func (c *counts) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byName == nil {
		c.byName = map[string]int{}
	}
	c.byName[name]++
}
