package telemetry

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// Names of log fields that are metrics as well. The metric has the field's name.
const (
	fieldLatency          = "latency_ms"
	fieldFailed           = "failed"
	fieldThrottled        = "throttled"
	fieldRefusedKeys      = "refused_keys"
	fieldModel            = "model" // the one dimension
	fieldPromptTokens     = "prompt_tokens"
	fieldCompletionTokens = "completion_tokens"
)

// A class of records is counted in the same way.
type class int

const (
	uncounted  class = iota // lists models, or is nobody's who has a key
	refusedKey              // showed a key that is none
	unanswered              // came to an end before a model was asked
	answered                // asked a model, with whatever success
	classes
)

func (r *Record) class() class {
	switch {
	case r.RefusedKey:
		return refusedKey
	case r.Kind == KindModels, r.Key == "" && r.Status < http.StatusInternalServerError:
		return uncounted
	case r.Attempts == 0:
		return unanswered
	default:
		return answered
	}
}

// counters are the fields that exist to be counted.
func (r *Record) counters() []slog.Attr {
	switch r.class() {
	case unanswered, answered:
		failed := r.Status >= http.StatusBadRequest
		return []slog.Attr{slog.Int(fieldFailed, one(failed)), slog.Int(fieldThrottled, one(r.Status == http.StatusTooManyRequests))}
	case refusedKey:
		return []slog.Attr{slog.Int(fieldRefusedKeys, 1)}
	default:
		return nil
	}
}

func one(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// A metrics turns records into metrics: for each class it has the member
// CloudWatchMetrics of a line in CloudWatch's embedded metric format, which
// makes metrics of the line's own fields.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
//
// Every metric costs by name and dimension value, so there are few: those that
// alarms need without a dimension, and tokens, which have a price, by model.
// The label of a key is no dimension, since whoever writes the secret could
// make any number of them.
type metrics [classes]string

// newMetrics returns the metrics of a namespace. It must hold nothing that
// JSON escapes.
func newMetrics(namespace string) *metrics {
	directive := func(dimension, metrics string) string {
		return `{"Namespace":"` + namespace + `","Dimensions":[[` + dimension + `]],"Metrics":[` + metrics + `]}`
	}
	metric := func(name, unit string) string { return `{"Name":"` + name + `","Unit":"` + unit + `"}` }
	outcome := metric(fieldFailed, "Count") + "," + metric(fieldThrottled, "Count")
	tokens := metric(fieldPromptTokens, "Count") + "," + metric(fieldCompletionTokens, "Count")
	return &metrics{
		refusedKey: directive("", metric(fieldRefusedKeys, "Count")),
		unanswered: directive("", outcome),
		answered:   directive("", metric(fieldLatency, "Milliseconds")+","+outcome) + "," + directive(`"`+fieldModel+`"`, tokens),
	}
}

// of returns the member of a record's line that CloudWatch makes metrics of,
// and false if it makes none.
func (m *metrics) of(r *Record, now time.Time) (slog.Attr, bool) {
	if m == nil || m[r.class()] == "" {
		return slog.Attr{}, false
	}
	text := `{"Timestamp":` + strconv.FormatInt(now.UnixMilli(), 10) + `,"CloudWatchMetrics":[` + m[r.class()] + `]}`
	return slog.Any("_aws", json.RawMessage(text)), true
}
