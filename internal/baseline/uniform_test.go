package baseline

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestUniform draws ten thousand times from one stream and compares how often
// each value came with what chance has it (Pearson's chi-square). The stream is
// fixed, so the result is too. The limits are the 99.9 % quantiles.
func TestUniform(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		schema string
		kinds  int
		limit  float64 // chi-square with kinds-1 degrees of freedom
	}{
		{"seven options", `{"enum":["a","b","c","d","e","f","g"]}`, 7, 22.46},
		{"seven points", `{"type":"integer","minimum":1,"maximum":7}`, 7, 22.46},
		{"seven labelled points", `{"oneOf":[{"const":1},{"const":2},{"const":3},{"const":4},{"const":5},{"const":6},{"const":7}]}`, 7, 22.46},
		{"six branches, one of them impossible", `{"anyOf":[{"const":1},{"const":2},{"const":3},{"const":4},{"const":5},false]}`, 5, 18.47},
		{"steps of a tenth", `{"type":"number","minimum":0,"maximum":1,"multipleOf":0.1}`, 11, 29.59},
		{"permutations of four", `{"type":"array","items":{"enum":["a","b","c","d"]},"uniqueItems":true,"minItems":4,"maxItems":4}`, 24, 49.73},
		{"permutations of four integers", `{"type":"array","items":{"type":"integer","minimum":1,"maximum":4},"uniqueItems":true,"minItems":4,"maxItems":4}`, 24, 49.73},
		{"pairs out of four", `{"type":"array","items":{"enum":["a","b","c","d"]},"uniqueItems":true,"minItems":2,"maxItems":2}`, 12, 31.26},
		{"three optional members", `{"properties":{"a":{"const":1},"b":{"const":1},"c":{"const":1}}}`, 8, 24.32},
		{"number in digits", `{"type":"string","pattern":"^([0-9]|1[0-9])$"}`, 20, 43.82},
		{"options that another rule limits", `{"enum":[1,2,3,4,5,6,7,8,9,10],"minimum":4}`, 7, 22.46},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			random := seeded(2)
			checkUniform(t, tc.kinds, tc.limit, func() string {
				text, err := drawValue(random, json.RawMessage(tc.schema))
				if err != nil {
					t.Fatal(err)
				}
				return text
			})
		})
	}
}

// checkUniform calls draw ten thousand times.
func checkUniform(t *testing.T, kinds int, limit float64, draw func() string) {
	t.Helper()
	const draws = 10_000
	counts := map[string]int{}
	for range draws {
		counts[draw()]++
	}
	if len(counts) != kinds {
		t.Fatalf("drew %d different values, want %d: %v", len(counts), kinds, counts)
	}
	expected, chi := float64(draws)/float64(kinds), 0.0
	for _, n := range counts {
		chi += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	if chi > limit {
		t.Errorf("chi-square is %.1f, above %.1f: %v", chi, limit, counts)
	}
}

// TestSourceIsUniform checks the numbers that all draws are made of, where
// their range is no power of two.
func TestSourceIsUniform(t *testing.T) {
	t.Parallel()
	random := seeded(3)
	checkUniform(t, 10, 27.88, func() string { return fmt.Sprint(random.below(10)) })
	checkUniform(t, 6, 20.52, func() string { return fmt.Sprint(random.permutation(3)) })
	checkUniform(t, 3, 13.82, func() string { return fmt.Sprint(random.weighted([]float64{1, 0, 1, 1})) })
}

// TestNumbers checks how numbers are written: exactly, and as somebody who
// answers would write them.
func TestNumbers(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		schema  string
		longest int // characters
	}{
		{"scale", `{"type":"number","minimum":0,"maximum":100}`, 4},
		{"share", `{"type":"number","minimum":0,"maximum":1}`, 5},
		{"ten", `{"type":"number","minimum":0,"maximum":10}`, 4},
		{"tenths", `{"type":"number","minimum":0,"maximum":10,"multipleOf":0.1}`, 3},
		{"thirds of a tenth are no decimals", `{"type":"number","minimum":0,"maximum":3,"multipleOf":0.03}`, 4},
		{"no bounds", `{"type":"number"}`, 4},
		{"exponents in the schema", `{"type":"number","minimum":1e0,"maximum":1E1,"multipleOf":5e-1}`, 3},
		{"integers without bounds", `{"type":"integer"}`, 3},
		{"money", `{"type":"number","minimum":-1000,"maximum":1000}`, 7},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			different := map[string]bool{}
			for _, text := range drawMany(t, tc.schema, 500) {
				different[text] = true
				if len(text) > tc.longest {
					t.Fatalf("drew %s", text)
				}
			}
			if len(different) < 10 {
				t.Errorf("drew only %d different numbers", len(different))
			}
		})
	}
}
