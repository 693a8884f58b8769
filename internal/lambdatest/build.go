package lambdatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// CoverDirVar names the environment variable that, when it holds a directory,
// makes [Build] instrument functions for coverage and makes them write their
// counters there (see https://go.dev/doc/build-cover). The directory must exist.
const CoverDirVar = "LAMBDATEST_COVERDIR"

// builds holds a func() (string, error) for every package built by this process.
var builds sync.Map

// Build compiles a main package for this machine with the flags a function is
// deployed with and returns the path of the binary. pkg is an import path of the
// current module or a path that begins with "./", as for go build. A package is
// built once per process. The test fails if it does not compile.
//
// The binary is kept in the user's cache directory and overwritten by the next
// build, so that nothing piles up.
func Build(tb testing.TB, pkg string) string {
	tb.Helper()
	path, err := Compile(tb.Context(), pkg)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Compile is [Build] for programs that are not tests.
func Compile(ctx context.Context, pkg string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("building %s: %w", pkg, err)
	}
	ctx = context.WithoutCancel(ctx) // other callers share the result
	build, _ := builds.LoadOrStore(dir+"\x00"+pkg, sync.OnceValues(func() (string, error) {
		return compile(ctx, dir, pkg)
	}))
	once, ok := build.(func() (string, error))
	if !ok {
		return "", fmt.Errorf("building %s: unexpected %T", pkg, build)
	}
	return once()
}

// compile runs go build in dir. It builds beside the final place and renames,
// because other test processes may be running or replacing the same binary.
func compile(ctx context.Context, dir, pkg string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("building %s: %w", pkg, err)
	}
	args := []string{"build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w"}
	if _, cover := coverDir(); cover {
		args = append(args, "-cover")
	}
	sum := sha256.Sum256([]byte(strings.Join(append(args, dir, pkg), "\x00")))
	out := filepath.Join(cache, "lambdatest", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(out, 0o700); err != nil {
		return "", fmt.Errorf("building %s: %w", pkg, err)
	}
	temp, err := os.MkdirTemp(out, "build-")
	if err != nil {
		return "", fmt.Errorf("building %s: %w", pkg, err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	built := filepath.Join(temp, "bootstrap")
	if _, err := goCommand(ctx, dir, append(args, "-o", built, pkg)...); err != nil {
		return "", fmt.Errorf("building %s: %w", pkg, err)
	}
	path := filepath.Join(out, "bootstrap")
	if err := os.Rename(built, path); err != nil {
		return "", fmt.Errorf("building %s: %w", pkg, err)
	}
	return path, track(ctx, dir, pkg)
}

// track makes the go command's cached test results depend on the sources of pkg.
// The go command notes which files of the module a test looks at; it cannot see
// that a binary it runs was made from others, and would go on reporting a pass.
func track(ctx context.Context, dir, pkg string) error {
	const format = `{{with .Module}}{{if or .Main .Replace}}{{.GoMod}}
{{$.Dir}}{{range $.GoFiles}}
{{$.Dir}}/{{.}}{{end}}{{range $.EmbedFiles}}
{{$.Dir}}/{{.}}{{end}}
{{end}}{{end}}`
	list, err := goCommand(ctx, dir, "list", "-tags", "lambda.norpc", "-deps", "-f", format, pkg)
	if err != nil {
		return fmt.Errorf("listing the sources of %s: %w", pkg, err)
	}
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '\n' }) {
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("sources of %s: %w", pkg, err)
		}
	}
	return nil
}

// goCommand runs the go command in dir ("" is the current directory) without
// cgo and returns its standard output. An error carries its standard error.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // flags and a package path, no shell
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.String())
	}
	return stdout.String(), nil
}

// coverDir returns the directory for coverage counters, if one is set.
func coverDir() (string, bool) {
	dir, _ := os.LookupEnv(CoverDirVar)
	return dir, dir != ""
}
