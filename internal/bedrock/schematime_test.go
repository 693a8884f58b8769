package bedrock

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

// repeat joins n pieces, each made for its number, by commas.
func repeat(n int, piece func(i int) string) string {
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = piece(i)
	}
	return strings.Join(pieces, ",")
}

// heavySchemas are as large as a request may have them, and made to cost much.
func heavySchemas() map[string]string {
	ref := func(to string) string { return `{"$ref":"#/$defs/` + to + `"}` }
	object := func(defs, properties string) string {
		return `{"type":"object","$defs":{` + defs + `},"properties":{` + properties + `}}`
	}
	filler := strings.Repeat("x", 190_000)
	const deep = 30
	return map[string]string{
		"references into one part": object(`"a":{"type":"object","description":"`+filler+`","properties":{"b":{"type":"string"}}}`,
			repeat(1500, func(i int) string { return fmt.Sprintf(`"p%d":%s`, i, ref("a/properties/b")) })),
		"different references": object(`"a":{"description":"`+filler[:130_000]+`","properties":{`+repeat(1500, func(i int) string { return fmt.Sprintf(`"b%d":{"type":"string"}`, i) })+`}}`,
			repeat(1500, func(i int) string { return fmt.Sprintf(`"p%d":%s`, i, ref(fmt.Sprintf("a/properties/b%d", i))) })),
		"references to a large comment": object(`"a":{"type":"string","$comment":"`+filler+`"}`,
			repeat(1500, func(i int) string { return fmt.Sprintf(`"p%d":%s`, i, ref("a")) })),
		"chain of references": object(repeat(4000, func(i int) string { return fmt.Sprintf(`"a%d":%s`, i, ref(fmt.Sprintf("a%d", i+1))) })+`,"a4000":{}`,
			repeat(2000, func(i int) string { return fmt.Sprintf(`"p%d":%s`, i, ref("a0")) })),
		"alternatives of alternatives": `{"$ref":"#/$defs/a0","$defs":{` + repeat(12, func(i int) string {
			return fmt.Sprintf(`"a%d":{"anyOf":[%s]}`, i, repeat(500, func(int) string { return ref(fmt.Sprintf("a%d", i+1)) }))
		}) + `,"a12":{"type":"object"}}}`,
		"many alternatives": `{"anyOf":[` + repeat(4000, func(i int) string {
			return fmt.Sprintf(`{"required":["x"],"properties":{"x":{"const":%d}}}`, i)
		}) + `]}`,
		"many properties": object("", repeat(10_000, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string"}`, i) })),
		"deep":            strings.Repeat(`{"type":"object","properties":{"a":`, deep) + `{"description":"` + filler + `"}` + strings.Repeat(`}}`, deep),
		"deep and many": strings.Repeat(`{"type":"object","properties":{"a":`, deep) + object("", repeat(8_000, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string"}`, i) })) +
			strings.Repeat(`}}`, deep),
	}
}

// cpuTime is what this process has used, whatever else the machine does.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano())
}

// TestSchemaTime: no schema takes long, and none becomes much larger than it was.
func TestSchemaTime(t *testing.T) {
	const most = time.Second // a tenth and less without the race detector
	for name, in := range heavySchemas() {
		if len(in) > 256<<10 {
			t.Errorf("%s: %d bytes", name, len(in))
		}
		for _, d := range []dialect{draft2020, plain} {
			start := cpuTime(t)
			out, err := toolSchema([]byte(in), d)
			took := cpuTime(t) - start
			if err != nil && !errors.Is(err, errDepth) && !errors.Is(err, errSize) {
				t.Errorf("%s, dialect %d: %v", name, d, err)
			}
			if took > most || len(out) > maxSchema {
				t.Errorf("%s, dialect %d: %d to %d bytes in %v", name, d, len(in), len(out), took)
			}
		}
		for _, family := range []string{"claude-4-5", "claude-3", "nova"} {
			f, err := familyNamed(family)
			if err != nil {
				t.Fatal(err)
			}
			req := decodeRequest(t, ask(claude45, `"tools":[{"type":"function","function":{"name":"rate","parameters":`+in+`}}]`))
			tr := &translation{req: req, family: f, options: &Options{}, schemas: newSchemaMemo(), honoured: map[string]bool{}}
			start := cpuTime(t)
			err = tr.build(t.Context(), newFetcher(nil))
			if took := cpuTime(t) - start; took > most {
				t.Errorf("%s for %s: %v", name, f.name, took)
			}
			if e := openai.AsError(err); err != nil && e.Param != "tools[0].function.parameters" && e.Param != "tools" {
				t.Errorf("%s for %s: %v", name, f.name, err)
			}
		}
	}
}
