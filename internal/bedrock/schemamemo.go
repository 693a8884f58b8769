package bedrock

import (
	"encoding/json"
	"sync"
)

// maxMemo is how many bytes of schemas are remembered.
const maxMemo = 1 << 20

// A schemaMemo remembers the copies of schemas that are sent upstream: every
// request of a screen of an experiment offers the same tools. The zero value is
// empty and ready.
type schemaMemo struct {
	mu    sync.Mutex
	made  map[memoKey]json.RawMessage
	bytes int
}

type memoKey struct {
	dialect dialect
	schema  string
}

// toolSchema is the function of that name, remembered. Nobody may change what it
// returns. Two callers that miss at the same time both make the copy.
func (m *schemaMemo) toolSchema(raw json.RawMessage, d dialect) (json.RawMessage, error) {
	key := memoKey{d, string(raw)}
	m.mu.Lock()
	made, ok := m.made[key]
	m.mu.Unlock()
	if ok {
		return made, nil
	}
	made, err := toolSchema(raw, d)
	if err != nil {
		return nil, err
	}
	m.keep(key, made)
	return made, nil
}

// keep remembers a copy, and nothing else any more if there is no room for it.
func (m *schemaMemo) keep(key memoKey, made json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := len(key.schema) + len(made)
	if m.made[key] != nil || size > maxMemo {
		return
	}
	if m.made == nil || m.bytes+size > maxMemo {
		m.made, m.bytes = map[memoKey]json.RawMessage{}, 0
	}
	m.made[key] = made
	m.bytes += size
}
