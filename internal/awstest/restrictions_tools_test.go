package awstest

import (
	"fmt"
	"strings"
)

var toolCases = []restrictionCase{
	{"R14", false, claude45, with(`"toolConfig":{"tools":[]}`)},
	{"R14", true, claude45, with(toolF)},
	{"R15", false, titanID, with(toolF)},
	{"R15", false, legacyID, with(toolF)},
	{"R15", false, deepseek1, with(toolF)},
	{"R15", false, mixtralID, with(toolF)},
	{"R15", true, deepseek3, with(toolF)},
	{"R16", false, llamaID, with(toolF)},
	{"R16", false, mistralID, with(toolF)},
	{"R16", false, palmyraID, with(toolF)},
	{"R16", true, commandID, with(toolF)},
	{"R16", true, llamaID, ask(hi)},
	{"R17", false, llamaID, choose(`{"any":{}}`)},
	{"R17", false, mistralID, choose(`{"tool":{"name":"f"}}`)},
	{"R17", false, qwenID, choose(`{"auto":{}}`)},
	{"R17", false, commandID, choose(`{"any":{}}`)},
	{"R17", false, jambaID, choose(`{"any":{}}`)},
	{"R17", false, claude55, choose(`{"any":{}}`)},
	{"R17", true, claude55, choose(`{"auto":{}}`)},
	{"R17", true, mistralID, choose(`{"any":{}}`)},
	{"R17", true, novaID, choose(`{"tool":{"name":"f"}}`)},
	{"R17", true, unknownID, choose(`{"any":{}}`)},
	{"R18", false, claude4ID, `{"messages":[` + hi + `],"toolConfig":{"tools":[` + specF + `],"toolChoice":{"any":{}}},` + thinkHard + `}`},
	{"R18", true, claude4ID, `{"messages":[` + hi + `],"toolConfig":{"tools":[` + specF + `],"toolChoice":{"auto":{}}},` + thinkHard + `}`},
	{"R18", true, claude48, `{"messages":[` + hi + `],"toolConfig":{"tools":[` + specF + `],"toolChoice":{"any":{}}},` + adaptive + `}`},
	{"R19", false, claude45, with(`"toolConfig":{"tools":[{"toolSpec":{"name":"a.b","inputSchema":{"json":{"type":"object"}}}}]}`)},
	{"R19", false, claude45, with(`"toolConfig":{"tools":[{"toolSpec":{"name":"` + strings.Repeat("a", 65) + `","inputSchema":{"json":{"type":"object"}}}}]}`)},
	{"R19", false, unknownID, tools(hi, assistant(`{"toolUse":{"toolUseId":"a","name":"f g","input":{}}}`), user(resultA))},
	{"R19", true, claude45, with(`"toolConfig":{"tools":[{"toolSpec":{"name":"a-b_1","inputSchema":{"json":{"type":"object"}}}}]}`)},
	{"R20", false, novaID, with(`"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"","inputSchema":{"json":{"type":"object"}}}}]}`)},
	{"R20", true, novaID, with(`"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"x","inputSchema":{"json":{"type":"object"}}}}]}`)},
	{"R21", false, unknownID, schema(`{}`)},
	{"R21", false, claude45, schema(`{"type":"string"}`)},
	{"R21", false, claude45, schema(`true`)},
	{"R21", true, claude45, schema(`{"type":"object","properties":{}}`)},
	{"R22", false, claude45, schema(`{"type":"object","anyOf":[{"required":["a"]}]}`)},
	{"R22", true, claude45, schema(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`)},
	{"R22", true, llamaID, schema(`{"type":"object","anyOf":[{"required":["a"]}]}`)},
	{"R23", false, claude45, schema(`{"type":"object","properties":{"a":{"type":"number","exclusiveMinimum":true}}}`)},
	{"R23", false, claude45, schema(`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`)},
	{"R23", false, claude45, schema(`{"type":"object","properties":{"a":{"$ref":"https://example.com/schema.json"}}}`)},
	{"R23", false, claude45, schema(`{"type":"object","properties":{"a b":{"type":"string"}}}`)},
	{"R23", false, novaID, schema(`{"type":"object","additionalProperties":false}`)},
	{"R23", false, novaID, schema(`{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema"}`)},
	{"R23", false, novaID, schema(`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{}}}`)},
	{"R23", true, claude45, schema(`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"pattern":"(?=x)"}},"additionalProperties":false}`)},
	{"R23", true, novaID, schema(`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}},"required":["a"]}`)},
	{"R24", false, claude45, tools(hi, assistant(`{"toolUse":{"toolUseId":"a b","name":"f","input":{}}}`), user(`{"toolResult":{"toolUseId":"a b","content":[{"text":"ok"}]}}`))},
	{"R24", false, kimiID, tools(hi, assistant(`{"toolUse":{"toolUseId":"`+strings.Repeat("a", 65)+`","name":"f","input":{}}}`), user(resultA))},
	{"R24", true, kimiID, tools(hi, assistant(`{"toolUse":{"toolUseId":"functions.f:0","name":"f","input":{}}}`), user(`{"toolResult":{"toolUseId":"functions.f:0","content":[{"text":"ok"}]}}`))},
	{"R25", false, claude45, tools(hi, assistant(`{"toolUse":{"toolUseId":"a","name":"f","input":"{}"}}`), user(resultA))},
	{"R25", false, claude45, tools(hi, assistant(`{"toolUse":{"toolUseId":"a","name":"f","input":[]}}`), user(resultA))},
	{"R25", false, novaID, tools(hi, assistant(`{"toolUse":{"toolUseId":"a","name":"f","input":null}}`), user(resultA))},
	{"R25", true, claude45, tools(hi, assistant(`{"toolUse":{"toolUseId":"a","name":"f","input":{"x":[1]}}}`), user(resultA))},
	{"R26", false, claude45, tools(hi, useF, user(`{"toolResult":{"toolUseId":"a","content":[{"json":[1]}]}}`))},
	{"R26", true, claude45, tools(hi, useF, user(`{"toolResult":{"toolUseId":"a","content":[{"json":{"x":1}}]}}`))},
	{"R27", false, palmyraID, tools(hi, useF, user(`{"toolResult":{"toolUseId":"a","content":[{"text":"ok"}],"status":"error"}}`))},
	{"R27", true, claude45, tools(hi, useF, user(`{"toolResult":{"toolUseId":"a","content":[{"text":"ok"}],"status":"error"}}`))},
	{"R45", false, claude4ID, strict(`{"type":"object","additionalProperties":false}`)},
	{"R45", false, claude45, strict(`{"type":"object"}`)},
	{"R45", false, claude45, strict(`{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"additionalProperties":false}`)},
	{"R45", false, qwenID, strict(`{"type":"object","properties":{"a":{"type":"array","minItems":2}},"additionalProperties":false}`)},
	{"R45", false, claude45, with(`"toolConfig":{"tools":[` + strings.Join(manyStrict(21), ",") + `]}`)},
	{"R45", false, llamaID, with(textFormat(`{\"type\":\"object\",\"additionalProperties\":false}`))},
	{"R45", false, claude45, with(textFormat(`not json`))},
	{"R45", false, claude45, with(textFormat(`{\"type\":\"object\"}`))},
	{"R45", false, claude47, strict(`{"type":"object","additionalProperties":false}`)},
	{"R45", false, claude47, with(textFormat(`{\"type\":\"object\",\"additionalProperties\":false}`))},
	{"R45", false, haiku45, with(textFormat(`{\"type\":\"object\",\"additionalProperties\":false}`))},
	{"R45", false, claude45, strict(properties(25, `{"type":"string"}`, false))},
	{"R45", false, claude45, strict(properties(17, `{"type":["string","null"]}`, true))},
	{"R45", false, claude45, with(textFormat(strings.ReplaceAll(properties(17, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, true), `"`, `\"`)))},
	{"R45", true, claude45, strict(properties(24, `{"type":"string"}`, false))},
	{"R45", true, claude45, strict(properties(16, `{"type":["string","null"]}`, true))},
	{"R45", true, haiku45, strict(`{"type":"object","additionalProperties":false}`)},
	{"R45", true, claude45, strict(`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`)},
	{"R45", true, claude45, with(textFormat(`{\"type\":\"object\",\"additionalProperties\":false}`))},
	{"R45", true, qwenID, strict(`{"type":"object","properties":{"minimum":{"type":"array","minItems":1}},"additionalProperties":false}`)},
	{"E4", false, claude45, with(`"toolConfig":{"tools":[` + specF + `,` + specF + `]}`)},
	{"E4", true, claude45, with(`"toolConfig":{"tools":[` + specF + `,{"cachePoint":{"type":"default"}}]}`)},
	{"E5", false, claude45, choose(`{"tool":{"name":"g"}}`)},
	{"E5", true, claude45, choose(`{"tool":{"name":"f"}}`)},
	{"Q1", false, novaID, with(`"toolConfig":{"tools":[{"toolSpec":{"name":"a-b","inputSchema":{"json":{"type":"object"}}}}]}`)},
	{"Q1", false, microID, tools(hi, assistant(`{"toolUse":{"toolUseId":"a","name":"1f","input":{}}}`), user(resultA))},
	{"Q1", true, novaID, with(toolF)},
	{"Q2", false, mistralID, schema(`{"type":"object","additionalProperties":false}`)},
	{"Q2", false, novaID, schema(`{"type":"object","properties":{"a":{"type":"object","additionalProperties":false}}}`)},
	{"Q2", true, claude45, schema(`{"type":"object","additionalProperties":false}`)},
	{"Q2", true, unknownID, schema(`{"type":"object","additionalProperties":false}`)},
	{"Q3", false, sonnet46, with(textFormat(`{\"type\":\"object\",\"additionalProperties\":false}`))},
	{"Q3", true, sonnet46, strict(`{"type":"object","additionalProperties":false}`)},
	{"Q4", false, deepseek3, with(`"toolConfig":{"tools":[`+specF+`],"toolChoice":{"any":{}}}`, reasonHard)},
	{"Q4", true, deepseek3, with(`"toolConfig":{"tools":[` + specF + `],"toolChoice":{"any":{}}}`)},
	{"Q4", true, deepseek3, with(`"toolConfig":{"tools":[`+specF+`]}`, reasonHard)},
	{"Q2", true, novaID, schema(`{"type":"object","properties":{"additionalProperties":{"type":"string"}}}`)},
}

func textFormat(escaped string) string {
	return `"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"x","schema":"` + escaped + `"}}}}`
}

func manyStrict(n int) (specs []string) {
	for i := range n {
		specs = append(specs, fmt.Sprintf(`{"toolSpec":{"name":"f%d","strict":true,"inputSchema":{"json":{"type":"object","additionalProperties":false}}}}`, i))
	}
	return specs
}

// properties is a closed schema with n properties of one kind.
func properties(n int, kind string, required bool) string {
	var all, names []string
	for i := range n {
		names = append(names, fmt.Sprintf(`"p%d"`, i))
		all = append(all, names[i]+":"+kind)
	}
	if !required {
		names = nil
	}
	return `{"type":"object","properties":{` + strings.Join(all, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
}
