package lambdatest

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// An output collects what a process writes. The process writes to a file and not
// to a pipe, so that a line is there as soon as the process has written it.
type output struct {
	mu   sync.Mutex
	file *os.File // nil once closed
	kept []byte   // the content of the closed file
}

// newOutput returns an output on a file that has no name any more.
func newOutput() (*output, error) {
	file, err := os.CreateTemp("", "lambdatest-*.log")
	if err != nil {
		return nil, fmt.Errorf("output of the function: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("output of the function: %w", err)
	}
	return &output{file: file}, nil
}

// read returns all that was written so far.
func (o *output) read() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		return o.kept
	}
	return o.content()
}

// close keeps the content and closes the file. The process must have ended.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		return
	}
	o.kept = o.content()
	_ = o.file.Close() // read-only from here, nothing to lose
	o.file = nil
}

func (o *output) content() []byte {
	const most = 1 << 30
	b, err := io.ReadAll(io.NewSectionReader(o.file, 0, most))
	if err != nil {
		return fmt.Appendf(b, "\nlambdatest: reading the output: %v\n", err)
	}
	return b
}
