package awstest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// latency is the metrics.latencyMs of every completion, in milliseconds.
const latency = 250

type blockKind int

const (
	textBlock blockKind = iota
	toolUseBlock
	reasoningBlock
	rawBlock
)

// A block is one content block of a completion. The text is the text, the tool's
// input, the reasoning or the raw block, by kind.
type block struct {
	kind     blockKind
	id, name string
	text     string
}

// Signature is the signature of a reasoning text. [Reasoning] replies carry it,
// and a request that replays reasoning to a Claude model must repeat it.
func Signature(text string) string {
	sum := sha256.Sum256([]byte("awstest reasoning " + text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// named is the reply's content with an id for every tool use that lacks one.
func (s *Server) named(content []block) []block {
	out := make([]block, len(content))
	for i, b := range content {
		if b.kind == toolUseBlock && b.id == "" {
			b.id = s.newID("tooluse_%022d")
		}
		out[i] = b
	}
	return out
}

// completion is the body of a Converse answer. It is put together as text so
// that a tool's input stays as it was scripted, be it valid or not.
func (r Reply) completion(content []block) []byte {
	blocks := make([]string, len(content))
	for i, b := range content {
		blocks[i] = b.json()
	}
	return fmt.Appendf(nil, `{"metrics":{"latencyMs":%d},"output":{"message":{"content":[%s],"role":"assistant"}},"stopReason":%s,"usage":%s}`,
		latency, strings.Join(blocks, ","), quote(r.stopReason()), r.usage().json())
}

func (b block) json() string {
	switch b.kind {
	case textBlock:
		return `{"text":` + quote(b.text) + `}`
	case toolUseBlock:
		return `{"toolUse":{"input":` + b.text + `,"name":` + quote(b.name) + `,"toolUseId":` + quote(b.id) + `}}`
	case reasoningBlock:
		return `{"reasoningContent":{"reasoningText":{"signature":` + quote(Signature(b.text)) + `,"text":` + quote(b.text) + `}}}`
	case rawBlock:
	}
	return b.text
}

func (r Reply) stopReason() string {
	if r.StopReason != "" {
		return r.StopReason
	}
	for _, b := range r.content {
		if b.kind == toolUseBlock {
			return "tool_use"
		}
	}
	return "end_turn"
}

func (r Reply) usage() Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	return DefaultUsage
}

func (u Usage) json() string {
	total := u.TotalTokens
	if total == 0 {
		total = u.InputTokens + u.OutputTokens + u.CacheReadInputTokens + u.CacheWriteInputTokens
	}
	var b strings.Builder
	member := func(name string, n int) { b.WriteString(`,"` + name + `":` + strconv.Itoa(n)) }
	b.WriteString(`{"inputTokens":` + strconv.Itoa(u.InputTokens))
	member("outputTokens", u.OutputTokens)
	member("totalTokens", total)
	if u.CacheReadInputTokens != 0 {
		member("cacheReadInputTokens", u.CacheReadInputTokens)
	}
	if u.CacheWriteInputTokens != 0 {
		member("cacheWriteInputTokens", u.CacheWriteInputTokens)
	}
	b.WriteByte('}')
	return b.String()
}
