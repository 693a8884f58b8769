package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// A size is a size of request that is measured.
type size struct {
	name  string
	bytes int
	image bool // most of it is an image; otherwise it is conversation
}

var sizes = []size{
	{"4 KB", 4 << 10, false},
	{"64 KB", 64 << 10, false},
	{"1 MB", 1 << 20, true},
	{"4 MB", 4_000_000, true}, // an image of 3 MB
	{"4.5 MB", 4_500_000, true},
}

// A shape is what a request is made like.
type shape struct {
	size
	stream bool // text is asked for as a stream; otherwise a decision
	tools  int  // how many are offered with a decision; at least 1
	schema int  // bytes of the first tool's schema; 0: as small as it gets
}

// request returns a chat completion request of a shape.
func (s shape) request() []byte {
	body := map[string]any{"model": "agent", "temperature": 0.7, "max_tokens": 4000}
	if s.stream {
		body["stream"] = true
	} else {
		body["tools"], body["tool_choice"] = s.offered(), "auto"
	}
	const system = "You take part in a study. Every turn you call one of your tools. What stands between <participant> tags was written by somebody else.\n"
	messages := func(filler string) []any {
		user := any(filler + "How much did the last scene move you? 0 = it left me cold, 100 = overwhelming")
		if s.image {
			user = []any{
				map[string]any{"type": "text", "text": "How much does this picture move you?"},
				map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64," + filler}},
			}
		}
		return []any{map[string]any{"role": "system", "content": system}, map[string]any{"role": "user", "content": user}}
	}
	body["messages"] = messages("")
	missing := max(0, s.bytes-len(marshal(body)))
	if s.image {
		body["messages"] = messages(picture(missing))
	} else {
		const line = "Participant C: <participant>i was \"close\" to tears, no joke — really</participant>\nYou: i kept thinking of my father\n"
		body["messages"] = messages(strings.Repeat(line, missing/len(marshal(line))))
	}
	return marshal(body)
}

// offered are the tools: an answer with a schema of the wanted size first, then
// a chat message, then others.
func (s shape) offered() []any {
	properties := map[string]any{"value": map[string]any{"type": "number", "minimum": 0, "maximum": 100, "multipleOf": 0.5, "description": "Your answer."}}
	for i := 0; len(marshal(properties)) < s.schema; i++ {
		properties[fmt.Sprintf("item_%d", i)] = map[string]any{
			"type": "string", "enum": []string{"not at all", "a little", "somewhat", "quite", "very"}, "description": fmt.Sprintf("Question %d of the questionnaire.", i),
		}
	}
	list := []any{tool("submit_response", properties, "value"), tool("send_chat", map[string]any{"message": map[string]any{"type": "string", "maxLength": 500}}, "message")}
	for i := len(list); i < s.tools; i++ {
		list = append(list, tool(fmt.Sprintf("act_%d", i), map[string]any{"amount": map[string]any{"type": "integer", "minimum": 0, "maximum": i}}, "amount"))
	}
	return list[:max(s.tools, 1)]
}

func tool(name string, properties map[string]any, required string) any {
	return map[string]any{"type": "function", "function": map[string]any{
		"name": name, "description": "One of the things that you can do in this turn.",
		"parameters": map[string]any{"type": "object", "properties": properties, "required": []string{required}, "additionalProperties": false},
	}}
}

// picture returns base64 of about n characters that begins like a PNG image of
// 1200 x 900 pixels and goes on as compressed pixels do, without any pattern.
func picture(n int) string {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), 1200), 900)
	header = append(header, 8, 6, 0, 0, 0)
	image := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"), header...)
	image = binary.BigEndian.AppendUint32(image, crc32.ChecksumIEEE(header))
	pixels := make([]byte, max(0, n*3/4-len(image)))
	_, _ = rand.NewChaCha8([32]byte{}).Read(pixels) // never fails; the same in every run
	return base64.StdEncoding.EncodeToString(append(image, pixels...))
}

// event returns the proxy event that API Gateway makes of a request.
func event(method, path string, body []byte) []byte {
	single := map[string]string{
		"Accept": "application/json", "Accept-Encoding": "gzip, deflate", "Accept-Language": "*", "Authorization": "Bearer " + apiKey,
		"Content-Type": "application/json", "Host": "a1b2c3d4e5.execute-api.us-east-1.amazonaws.com", "Sec-Fetch-Mode": "cors",
		"User-Agent": "node", "X-Amzn-Trace-Id": "Root=1-692dbe3c-0a1b2c3d4e5f60718293a4b5", "X-Forwarded-For": "203.0.113.7",
		"X-Forwarded-Port": "443", "X-Forwarded-Proto": "https",
	}
	multi := map[string][]string{}
	for name, value := range single {
		multi[name] = []string{value}
	}
	return marshal(events.APIGatewayProxyRequest{
		Resource: path, Path: path, HTTPMethod: method, Headers: single, MultiValueHeaders: multi, Body: string(body),
		RequestContext: events.APIGatewayProxyRequestContext{
			AccountID: "123456789012", ResourceID: "rsrc01", Stage: "v1", DomainName: single["Host"], DomainPrefix: "a1b2c3d4e5",
			RequestID: "0f8e2b6d-4c1a-4f6f-9f30-51d0c9b1e7a8", ExtendedRequestID: "AbCdEfGhIjK=", Protocol: "HTTP/1.1",
			Identity:     events.APIGatewayRequestIdentity{SourceIP: "203.0.113.7", UserAgent: "node"},
			ResourcePath: path, Path: "/v1" + path, HTTPMethod: method, APIID: "a1b2c3d4e5",
			RequestTime: time.Now().UTC().Format("02/Jan/2006:15:04:05 -0700"), RequestTimeEpoch: time.Now().UnixMilli(),
		},
	})
}

// marshal encodes as API Gateway and HyperStudy do, without escaping HTML.
func marshal(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // strings, numbers, maps and slices only
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
