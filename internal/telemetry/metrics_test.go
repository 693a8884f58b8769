package telemetry

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

var update = flag.Bool("update", false, "rewrite testdata/lines.json")

// A metric is one that CloudWatch makes of a line.
type metric struct {
	name, dimension string // dimension as name=value, or empty
	value           float64
}

// extract returns the metrics that CloudWatch makes of a line, and fails the
// test where its specification is not met.
func extract(t *testing.T, line []byte) []metric {
	t.Helper()
	var document struct {
		AWS *struct {
			Timestamp         int64
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
	}
	var root map[string]any
	if err := json.Unmarshal(line, &document); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if err := json.Unmarshal(line, &root); err != nil {
		t.Fatal(err)
	}
	if document.AWS == nil {
		return nil
	}
	if document.AWS.Timestamp != 946684800000 { // the time at which a synctest bubble starts
		t.Errorf("timestamp %d", document.AWS.Timestamp)
	}
	var found []metric
	for _, directive := range document.AWS.CloudWatchMetrics {
		if directive.Namespace != "HyperStudyEndpoint/pilot" {
			t.Errorf("namespace %q", directive.Namespace)
		}
		for _, names := range directive.Dimensions {
			var dimensions []string
			for _, name := range names {
				value, ok := root[name].(string)
				if !ok {
					t.Errorf("dimension %s is %v in %s", name, root[name], line)
				}
				dimensions = append(dimensions, name+"="+value)
			}
			for _, m := range directive.Metrics {
				value, ok := root[m.Name].(float64)
				if !ok || !slices.Contains([]string{"Count", "Milliseconds"}, m.Unit) {
					t.Errorf("metric %v is %v in %s", m, root[m.Name], line)
				}
				found = append(found, metric{m.Name, strings.Join(dimensions, ","), value})
			}
		}
	}
	return found
}

// measured returns the line of a record with metrics.
func measured(t *testing.T, r *Record) (line []byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		New(&out, slog.LevelInfo, "HyperStudyEndpoint/pilot").Request(t.Context(), r)
		line = out.Bytes()
	})
	if bytes.Count(line, []byte("\n")) != 1 {
		t.Errorf("not one line: %s", line)
	}
	return line
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	failed := func(status int, throttled float64) (*Record, []metric) {
		return &Record{Kind: "other", Key: "lab", Status: status}, []metric{{"failed", "", 1}, {"throttled", "", throttled}}
	}
	badRequest, wantBadRequest := failed(400, 0)
	throttled, wantThrottled := failed(429, 1)
	noKeys, wantNoKeys := failed(503, 0)
	noKeys.Key = ""
	cases := []struct {
		name   string
		record *Record
		want   []metric
	}{
		{"answered", full(), []metric{
			{"latency_ms", "", 1500}, {"failed", "", 0}, {"throttled", "", 0},
			{"prompt_tokens", "model=fast", 100}, {"completion_tokens", "model=fast", 10},
		}},
		{"given up", &Record{Kind: "text", Key: "lab", Status: 504, Model: "a/b:c", Attempts: 3}, []metric{
			{"latency_ms", "", 0}, {"failed", "", 1}, {"throttled", "", 0},
			{"prompt_tokens", "model=a/b:c", 0}, {"completion_tokens", "model=a/b:c", 0},
		}},
		{"refused before a model was asked", badRequest, wantBadRequest},
		{"throttled", throttled, wantThrottled},
		{"keys cannot be fetched", noKeys, wantNoKeys},
		{"refused key", &Record{Kind: "other", RefusedKey: true, Status: 401}, []metric{{"refused_keys", "", 1}}},
		{"refused key for the list", &Record{Kind: KindModels, RefusedKey: true, Status: 401}, []metric{{"refused_keys", "", 1}}},
		{"list", &Record{Kind: KindModels, Key: "lab", Status: 200}, nil},
		{"unknown model in the list", &Record{Kind: KindModels, Key: "lab", Status: 404}, nil},
		{"somebody without a key at an unknown URL", &Record{Kind: "other", Status: 404}, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := extract(t, measured(t, tc.record)); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// stamp is a line's time, which is written in the zone of the machine.
var stamp = regexp.MustCompile(`"time":"[^"]+"`)

// TestLines writes down what lines look like, for the checks of the dashboard
// and the alarms in infra/template_test.
func TestLines(t *testing.T) {
	t.Parallel()
	lines := map[string]*Record{
		"answered":    full(),
		"refused_key": {RequestID: "id", Kind: "other", RefusedKey: true, Status: 401, Code: "invalid_api_key"},
		"listed":      {RequestID: "id", Kind: KindModels, Key: "lab", Status: 200},
	}
	var text bytes.Buffer
	text.WriteString("{\n")
	for i, name := range slices.Sorted(maps.Keys(lines)) {
		if i > 0 {
			text.WriteString(",\n")
		}
		text.WriteString(`"` + name + `": `)
		text.Write(stamp.ReplaceAll(bytes.TrimSpace(measured(t, lines[name])), []byte(`"time":"2000-01-01T00:00:00Z"`)))
	}
	text.WriteString("\n}\n")
	golden := filepath.Join("testdata", "lines.json")
	if *update {
		if err := os.WriteFile(golden, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text.Bytes(), want) {
		t.Errorf("got  %s\nwant %s", text.Bytes(), want)
	}
}
