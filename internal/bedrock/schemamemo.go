package bedrock

import (
	"encoding/json"

	"hyperstudy-endpoint/internal/lru"
)

const (
	maxMemo      = 1 << 20 // bytes of schemas that are remembered
	maxMemorized = 256
)

// A schemaMemo remembers the copies of schemas that are sent upstream: every
// request of a screen of an experiment offers the same tools.
type schemaMemo struct {
	made lru.Cache[memoKey, json.RawMessage]
}

type memoKey struct {
	dialect dialect
	schema  string
}

func newSchemaMemo() *schemaMemo {
	m := &schemaMemo{}
	m.made.MaxEntries, m.made.MaxBytes = maxMemorized, maxMemo
	return m
}

// toolSchema is the function of that name, remembered. Nobody may change what it
// returns. Two callers that miss at the same time both make the copy.
func (m *schemaMemo) toolSchema(raw json.RawMessage, d dialect) (json.RawMessage, error) {
	key := memoKey{d, string(raw)}
	if made, ok := m.made.Get(key); ok {
		return made, nil
	}
	made, err := toolSchema(raw, d)
	if err != nil {
		return nil, err
	}
	m.made.Put(key, made, len(key.schema)+len(made))
	return made, nil
}
