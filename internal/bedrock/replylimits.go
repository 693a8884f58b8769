package bedrock

import (
	"encoding/json"
	"errors"
	"fmt"

	"hyperstudy-endpoint/internal/openai"
)

// Limits on an answer, far above what a model writes. They keep a broken one
// from taking the memory of the function.
const (
	maxReply     = 4 << 20  // bytes of the body, or of what a stream says
	maxStream    = 64 << 20 // bytes of a stream, whose events are mostly wrapping
	maxFault     = 64 << 10 // bytes of the body of an error
	maxBlocks    = 256      // content blocks, and citations in one
	maxToolInput = 1 << 20  // bytes of the inputs of all tool uses
)

var (
	errLongReply  = fmt.Errorf("the answer is longer than %d bytes", maxReply)
	errManyBlocks = fmt.Errorf("the answer has more than %d content blocks", maxBlocks)
	errToolInput  = fmt.Errorf("the tool inputs of the answer are longer than %d bytes", maxToolInput)
	errUnicode    = errors.New("the answer has text that is no valid Unicode")
)

// A few is a JSON array of at most maxBlocks elements. They are counted before
// they are decoded, since an empty one takes much more memory than its two bytes.
type few[T any] []T

// UnmarshalJSON decodes the array unless it has too many elements.
func (f *few[T]) UnmarshalJSON(raw []byte) error {
	if elements, _ := openai.SplitArray(raw, maxBlocks); len(elements) > maxBlocks {
		return errManyBlocks
	}
	return json.Unmarshal(raw, (*[]T)(f))
}
