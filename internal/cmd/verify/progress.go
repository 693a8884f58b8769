package main

import (
	"fmt"
	"io"

	"hyperstudy-endpoint/internal/conformance"
)

// clearLine goes back to the start of a terminal's line and empties it.
const clearLine = "\r\x1b[2K"

// A progress shows how far a run is: on a terminal in one line that moves, else
// in a line for each check.
type progress struct {
	terminal *terminal
	failed   int
}

// observe is told of every check before and after it is made.
func (p *progress) observe(e conformance.Event) {
	at := fmt.Sprintf("[%*d/%d]", len(fmt.Sprint(e.Total)), e.Number, e.Total)
	switch {
	case e.Result == nil && p.terminal.moves:
		failed := ""
		if p.failed > 0 {
			failed = fmt.Sprintf(", %d failed so far", p.failed)
		}
		p.write(clearLine + at + " " + e.Check.Title + failed)
	case e.Result != nil:
		if e.Result.Verdict == conformance.Fail {
			p.failed++
		}
		if !p.terminal.moves {
			p.write(fmt.Sprintf("%s %s %s\n", at, verdictWord(e.Result.Verdict), e.Check.Title))
		}
	}
}

func (p *progress) end() {
	if p.terminal.moves {
		p.write(clearLine)
	}
}

func (p *progress) write(text string) {
	_, _ = io.WriteString(p.terminal.err, text) // if nobody listens the report is what counts
}
