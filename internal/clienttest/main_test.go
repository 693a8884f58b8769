package clienttest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"hyperstudy-endpoint/internal/lambdatest"
)

// The compiled functions.
var modelsBinary, chatBinary string

func TestMain(m *testing.M) {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// build compiles the functions in the directory of their own module: here they
// would be built with the versions of dependencies that the client asks for.
func build() (err error) {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir("../.."); err != nil {
		return err
	}
	if modelsBinary, err = lambdatest.Compile(context.Background(), "./functions/models"); err != nil {
		return err
	}
	if chatBinary, err = lambdatest.Compile(context.Background(), "./functions/chat-completions"); err != nil {
		return err
	}
	return os.Chdir(here)
}
