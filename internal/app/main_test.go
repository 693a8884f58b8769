package app_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain lets more tests run at once than there are processors: most of their
// time they wait, for a time limit or for a process to start.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}
