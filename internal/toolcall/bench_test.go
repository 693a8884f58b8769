package toolcall

import (
	"fmt"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/ceiling"
	"hyperstudy-endpoint/internal/jsonschema"
)

// TestAllocations covers what happens at every decision, once the schemas are known.
func TestAllocations(t *testing.T) {
	const valid = `{"value":{"age":27,"hand":"right","sleep":{"hours":6.5,"quality":3},"comment":"fine"}}`
	j, err := New(offering(benchSchema))
	if err != nil {
		t.Fatal(err)
	}
	m := answer(nil, "", [2]string{"submit_response", valid})
	ceiling.Allocs(t, 68, func() { j.Judge(m) })
	ceiling.Allocs(t, 13, func() { _, _ = New(offering(benchSchema)) })
}

const benchSchema = `{"type":"object","properties":{"value":{"type":"object","properties":{
	"age":{"type":"integer","minimum":18,"maximum":99},"hand":{"type":"string","enum":["left","right","both"]},
	"sleep":{"type":"object","properties":{"hours":{"type":"number","minimum":0,"maximum":24,"multipleOf":0.5},"quality":{"type":"integer","minimum":1,"maximum":5}},"required":["hours","quality"],"additionalProperties":false},
	"comment":{"type":"string","maxLength":300}
},"required":["age","hand","sleep"],"additionalProperties":false}},"required":["value"],"additionalProperties":false}`

func BenchmarkJudge(b *testing.B) {
	const valid = `{"value":{"age":27,"hand":"right","sleep":{"hours":6.5,"quality":3},"comment":"fine"}}`
	for _, bm := range []struct{ name, arguments string }{
		{"valid", valid},
		{"mended", strings.NewReplacer(`27`, `"27"`, `right`, `Right`, `"fine"`, `null`).Replace(valid)},
		{"invalid", strings.NewReplacer(`27`, `127`, `right`, `none`).Replace(valid)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			j, err := New(offering(benchSchema))
			if err != nil {
				b.Fatal(err)
			}
			m := answer(nil, "", [2]string{"submit_response", bm.arguments})
			b.ReportAllocs()
			for b.Loop() {
				j.Judge(m)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := jsonschema.Compile(fmt.Sprintf("%s%*s", benchSchema, i%8+1, " ")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cached", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := New(offering(benchSchema)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
