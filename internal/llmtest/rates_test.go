//go:build llm

package llmtest

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "write the table into docs/benchmarks.md")
	seeds  = flag.Int("seeds", 3, "requests of each kind")
	budget = flag.Duration("budget", 6*time.Minute, "time after which no further round of requests begins")
)

// fewestKinds is how many kinds of decisions have to get a valid answer: below
// it something other than the model is likely to be at fault.
const fewestKinds = 20

// rates are what came of the requests of one kind.
type rates struct {
	kind                          string
	decision                      bool
	requests                      int
	atOnce, mended, reasked, lost int
	mendedBy, lostBy              map[string]int
	latencies                     []time.Duration
}

// TestRates puts requests of every kind to the model, in rounds of one each with
// a seed of its own, and prints what came of them. It fails if the endpoint lets
// anything through that the contract forbids. The model's rates are its own.
func TestRates(t *testing.T) {
	list := questions(t)
	e := deploy(t, startModel(t))
	table := make([]*rates, len(list))
	start := time.Now()
	for seed := range *seeds {
		if seed > 0 && time.Since(start) > *budget {
			t.Logf("%d of %d rounds: the time is up", seed, *seeds)
			break
		}
		for i, q := range list {
			if seed == 0 {
				table[i] = &rates{kind: q.kind, decision: q.tools != nil, mendedBy: map[string]int{}, lostBy: map[string]int{}}
			}
			a := e.ask(t, q, seed+1)
			t.Logf("%s, seed %d: %s", q.kind, seed+1, a)
			table[i].add(a)
		}
	}
	answered := 0
	for _, r := range table {
		if r.decision && r.lost < r.requests {
			answered++
		}
	}
	t.Logf("%s\n\n%s", time.Since(start).Round(time.Second), markdown(table))
	if answered < fewestKinds {
		t.Errorf("valid decisions for %d kinds, want at least %d", answered, fewestKinds)
	}
	if *update && !t.Failed() {
		publish(t, markdown(table))
	}
}

// add books one answer.
func (r *rates) add(a answer) {
	r.requests++
	r.latencies = append(r.latencies, a.latency)
	switch {
	case a.code != "":
		r.lost++
		r.lostBy[a.code]++
	case a.reasks > 0:
		r.reasked++
	case a.mended != nil:
		r.mended++
	default:
		r.atOnce++
	}
	for _, code := range a.mended {
		r.mendedBy[code]++
	}
}

// markdown is the table, with the decisions' sum at its end.
func markdown(table []*rates) string {
	var b strings.Builder
	b.WriteString("| kind | requests | valid at once | mended | after a re-ask | failed | median s |\n|---|---:|---:|---|---:|---|---:|\n")
	sum := &rates{kind: "**all decisions**", mendedBy: map[string]int{}, lostBy: map[string]int{}}
	for _, r := range table {
		b.WriteString(r.row())
		if r.decision {
			sum.include(r)
		}
	}
	b.WriteString(sum.row())
	return b.String()
}

func (r *rates) row() string {
	return fmt.Sprintf("| %s | %d | %d | %s | %d | %s | %.1f |\n", r.kind, r.requests, r.atOnce,
		counted(r.mended, r.mendedBy), r.reasked, counted(r.lost, r.lostBy), median(r.latencies).Seconds())
}

// include adds the figures of another kind.
func (r *rates) include(other *rates) {
	r.requests += other.requests
	r.atOnce += other.atOnce
	r.mended += other.mended
	r.reasked += other.reasked
	r.lost += other.lost
	r.latencies = append(r.latencies, other.latencies...)
	for code, n := range other.mendedBy {
		r.mendedBy[code] += n
	}
	for code, n := range other.lostBy {
		r.lostBy[code] += n
	}
}

// counted is a number and what it is made of, such as "3 (invalid_tool_call 2, timeout 1)".
func counted(n int, by map[string]int) string {
	if len(by) == 0 {
		return fmt.Sprint(n)
	}
	var parts []string
	for code, count := range by {
		parts = append(parts, fmt.Sprintf("`%s` %d", code, count))
	}
	slices.Sort(parts)
	return fmt.Sprintf("%d (%s)", n, strings.Join(parts, ", "))
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// publish replaces the figures in the documentation.
func publish(t *testing.T, table string) {
	t.Helper()
	const path, begin, end = "../../docs/benchmarks.md", "<!-- small model: begin -->\n", "<!-- small model: end -->"
	before, rest, found := strings.Cut(string(read(t, path)), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	text := fmt.Sprintf("%s%sMeasured on %s, %s with %d cores, by `make test-llm`.\n\n%s%s%s",
		before, begin, time.Now().UTC().Format(time.DateOnly), processor(), runtime.NumCPU(), table, end, after)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { // the mode of an existing file stays
		t.Fatal(err)
	}
}

// processor is the name of this machine's processor where it can be had.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	_, after, _ := strings.Cut(string(info), "model name\t: ")
	name, _, _ := strings.Cut(after, "\n")
	return cmp.Or(name, runtime.GOARCH)
}
