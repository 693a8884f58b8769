package bedrock

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
)

// contract is the page that says what each family takes. What stands between the
// marks is written by this test.
const (
	contract    = "../../docs/contract.md"
	tablesBegin = "<!-- written by: go test ./internal/bedrock -run TestContractTables -update -->\n"
	tablesEnd   = "\n<!-- end of what is written -->\n"
)

// labels are what the page calls the families; one that is not here has its own name.
var labels = map[string]string{
	"claude-2": "Claude 2, Instant", "claude-3": "Claude 3, 3.5 Sonnet", "claude-3-5-haiku": "Claude 3.5 Haiku",
	"claude-4": "Claude 3.7 Sonnet, Sonnet 4, Opus 4", "claude-opus-4-1": "Claude Opus 4.1", "claude-4-5": "Claude Sonnet, Opus 4.5", "claude-haiku-4-5": "Claude Haiku 4.5",
	"claude-4-6": "Claude Opus 4.6", "claude-sonnet-4-6": "Claude Sonnet 4.6", "claude-4-7": "Claude Opus 4.7, 4.8, Claude 5", "claude-5-5": "Claude 5.5, Fable 5.1 and newer", "nova-micro": "Nova Micro", "nova-2": "Nova 2",
	"nova": "Nova Lite, Pro, Premier", "titan": "Titan Text", "llama-3-1": "Llama 3.1, 3.3", "llama-3-2": "Llama 3.2 11B, 90B", "llama-4": "Llama 4 and newer",
	"llama-3": "Llama 2, 3, 3.2 1B, 3B", "mistral-7b": "Mistral 7B, Mixtral", "mistral-large": "Mistral Large", "pixtral": "Pixtral",
	"mistral": "Mistral Small", "command-r": "Cohere Command R, R+", "jamba-instruct": "AI21 Jamba-Instruct", "jamba-1-5": "AI21 Jamba 1.5",
	"deepseek-r1": "DeepSeek R1", "deepseek-v3": "DeepSeek V3", "qwen3-vl": "Qwen3 VL", "qwen3": "Qwen3", "gpt-oss": "gpt-oss", "kimi": "Kimi",
	"glm": "GLM", "palmyra": "Writer Palmyra", "other": "any other",
}

// A column of a table asks the translation what becomes of something.
type column struct {
	title string
	cell  func(probe) string
}

// A table has a row for each family, but for those without rows.
type table struct {
	title   string
	columns []column
	without func(*family) bool
}

var tables = []table{
	{
		title: "Sampling, reasoning and tier",
		columns: []column{
			{"`temperature`", probe.temperature}, {"`top_p`", probe.topP}, {"`top_k`", probe.topK}, {"`stop`", probe.stop},
			{"`reasoning_effort` `low`, `medium`, `high`", probe.reasoning}, {"`service_tier`", probe.tier},
		},
	},
	{
		title: "Tools",
		columns: []column{
			{"`tool_choice`: `required`", probe.required}, {"a named tool", probe.named}, {"exactly one call", probe.oneCall}, {"`strict`", probe.strict},
			{"tool names sent as they are", probe.names}, {"call ids sent as they are", probe.ids}, {"schema", probe.schema},
		},
		without: func(f *family) bool { return !f.can(tools) },
	},
	{
		title: "Messages and format",
		columns: []column{
			{"tools", probe.tools}, {"system prompt", probe.system}, {"images", probe.images}, {"begins with the assistant", probe.leading},
			{"ends with the assistant", probe.prefill}, {"text beside tool results", probe.mixed}, {"`json_schema`", probe.jsonSchema}, {"text taken for reasoning", probe.tag},
		},
	},
}

// TestContractTables compares what the page says of each family with what the
// translation does.
func TestContractTables(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), tablesBegin)
	is, after, ends := strings.Cut(rest, tablesEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the tables", contract)
	}
	var want strings.Builder
	for _, tb := range tables {
		tb.render(t, &want)
	}
	if *update {
		if err := os.WriteFile(contract, []byte(before+tablesBegin+want.String()+tablesEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if is != want.String() {
		t.Errorf("%s says something else than the translation does. Rewrite it (go test ./internal/bedrock -run TestContractTables -update) and read the difference.\nwant %s", contract, want.String())
	}
}

// render writes a table. Families of which it says the same share a row.
func (tb *table) render(t *testing.T, out *strings.Builder) {
	t.Helper()
	out.WriteString("\n### " + tb.title + "\n\n| family |")
	rule := "|---|"
	for _, c := range tb.columns {
		out.WriteString(" " + c.title + " |")
		rule += "---|"
	}
	out.WriteString("\n" + rule + "\n")
	var rows []string
	sharing := map[string][]string{}
	for _, f := range append(slices.Clone(families), other) {
		if tb.without != nil && tb.without(&f) {
			continue
		}
		label := cmp.Or(labels[f.name], f.name)
		row := ""
		for _, c := range tb.columns {
			row += " " + c.cell(probe{t, &f}) + " |"
		}
		if sharing[row] == nil {
			rows = append(rows, row)
		}
		sharing[row] = append(sharing[row], label)
	}
	for _, row := range rows {
		out.WriteString("| " + strings.Join(sharing[row], "; ") + " |" + row + "\n")
	}
}
