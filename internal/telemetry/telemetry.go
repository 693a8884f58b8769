// Package telemetry writes one structured log line per request, which carries
// CloudWatch metrics of its own fields. A line holds counts, names from the
// configuration and codes; nothing that a participant, an experimenter or a
// model wrote, and no key, URL or address.
package telemetry

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// KindModels is the kind of a request that lists models.
const KindModels = "models"

// A Record is what is known about one request when it has been answered.
type Record struct {
	RequestID  string
	Kind       string // [KindModels], "decision", "json", "text", or "other" for what was refused before it was read
	Key        string // label of the caller's key
	RefusedKey bool   // the caller showed none that is accepted
	Status     int
	Code       string // of the error; empty if there was none
	Cause      string // kind of the fault behind an error, from a fixed set or a Go type name
	Duration   time.Duration
	Upstream   time.Duration // spent waiting for the upstream

	Model        string // alias
	ModelID      string
	Fallback     string
	FinishReason string
	Stream       bool
	Tool         string // the tool called: one of HyperStudy's own names, or "other"; the dev server logs any name
	Attempts     int
	Retries      int
	Reasks       int
	Violations   int
	Mended       []string
	Ignored      []string

	BodyBytes int64
	Messages  int
	Images    int
	Tools     int

	PromptTokens     int
	CompletionTokens int
	ReasoningTokens  int
	CachedTokens     int
}

// A Logger writes records.
type Logger struct {
	log     *slog.Logger
	metrics *metrics // nil if lines carry none
}

// New returns a Logger that writes JSON lines of at least level to w. Metrics
// go to a namespace of letters, digits and . - _ / # :; with none there are no
// metrics.
func New(w io.Writer, level slog.Level, namespace string) *Logger {
	l := &Logger{log: slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))}
	if namespace != "" {
		l.metrics = newMetrics(namespace)
	}
	return l
}

// Request writes the line of one request: a warning if it failed through the
// caller's or the model's doing, an error if through the endpoint's or the
// upstream's.
func (l *Logger) Request(ctx context.Context, r *Record) {
	level := slog.LevelInfo
	switch {
	case r.Status >= 500:
		level = slog.LevelError
	case r.Status >= 400:
		level = slog.LevelWarn
	}
	if !l.log.Enabled(ctx, level) {
		return
	}
	attrs := r.attrs()
	if member, ok := l.metrics.of(r, time.Now()); ok {
		attrs = append(attrs, member)
	}
	l.log.LogAttrs(ctx, level, "request", attrs...)
}

// attrs are the fields of a line. Those that do not apply are left out.
func (r *Record) attrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("request_id", r.RequestID),
		slog.String("kind", r.Kind),
		slog.Int("status", r.Status),
		slog.Int64(fieldLatency, r.Duration.Milliseconds()),
	}
	attrs = append(attrs, r.counters()...)
	for _, f := range []struct {
		name, value string
	}{
		{"code", r.Code}, {"cause", r.Cause}, {"key", r.Key}, {fieldModel, r.Model}, {"model_id", r.ModelID},
		{"fallback", r.Fallback}, {"finish_reason", r.FinishReason}, {"tool", r.Tool},
	} {
		if f.value != "" {
			attrs = append(attrs, slog.String(f.name, f.value))
		}
	}
	for _, f := range []struct {
		name  string
		words []string
	}{{"mended", r.Mended}, {"ignored", r.Ignored}} {
		if len(f.words) > 0 {
			attrs = append(attrs, slog.Any(f.name, f.words))
		}
	}
	if r.Attempts > 0 {
		attrs = append(attrs,
			slog.Int("attempts", r.Attempts),
			slog.Int("retries", r.Retries),
			slog.Int("reasks", r.Reasks),
			slog.Int("violations", r.Violations),
			slog.Int64("upstream_ms", r.Upstream.Milliseconds()),
			slog.Int(fieldPromptTokens, r.PromptTokens),
			slog.Int(fieldCompletionTokens, r.CompletionTokens),
			slog.Int("reasoning_tokens", r.ReasoningTokens),
			slog.Int("cached_tokens", r.CachedTokens),
		)
	}
	if r.Messages > 0 {
		attrs = append(attrs,
			slog.Int64("body_bytes", r.BodyBytes),
			slog.Int("messages", r.Messages),
			slog.Int("images", r.Images),
			slog.Int("tools", r.Tools),
			slog.Bool("stream", r.Stream),
		)
	}
	return attrs
}

// Warmup logs what could not be done ahead of the first request, and the kind
// of fault that it met.
func (l *Logger) Warmup(ctx context.Context, what, cause string) {
	l.log.WarnContext(ctx, "not ready ahead of the first request, which will try again", slog.String("what", what), slog.String("cause", cause))
}

// Panic logs where a request's handler panicked.
func (l *Logger) Panic(ctx context.Context, requestID string, stack []byte) {
	l.log.ErrorContext(ctx, "panic", slog.String("request_id", requestID), slog.String("stack", string(stack)))
}
