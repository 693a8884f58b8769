package lambdatest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildOnce(t *testing.T) {
	t.Parallel()
	first := Build(t, "./testdata/silent")
	info, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o100 == 0 {
		t.Errorf("%s has mode %v, want an executable", first, info.Mode())
	}
	second := Build(t, "./testdata/silent")
	again, err := os.Stat(second)
	if err != nil {
		t.Fatal(err)
	}
	if second != first || !again.ModTime().Equal(info.ModTime()) {
		t.Errorf("built again: %s at %v, %s at %v", first, info.ModTime(), second, again.ModTime())
	}
	if left, err := filepath.Glob(filepath.Dir(first) + "/build-*"); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	_, err := Compile(t.Context(), "./testdata/nothing")
	if err == nil || !strings.Contains(err.Error(), "building ./testdata/nothing") {
		t.Errorf("error %v, want one that names the package", err)
	}
}

// With a directory for coverage, the process writes its counters when it is
// closed.
func TestCoverage(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(CoverDirVar, dir)
	path, err := compile(t.Context(), ".", "./testdata/buffered")
	if err != nil {
		t.Fatal(err)
	}
	fn := &Function{Path: path}
	resp, err := fn.Invoke(t.Context(), []byte(`{"path":"/no-content"}`), Buffered)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := resp.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	fn.Close()
	counters, err := filepath.Glob(dir + "/covcounters.*")
	if err != nil || len(counters) != 1 {
		t.Errorf("counters %v, error %v; want one file", counters, err)
	}
}
