package main

import (
	"archive/zip"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"hyperstudy-endpoint/internal/lambdatest"
)

// The programs, as the results name them.
const (
	floorName    = "floor"
	modelsName   = "models"
	bedrockName  = "chat, bedrock"
	externalName = "chat, external"
	baselineName = "chat, baseline"
)

// A program is a compiled function and its settings.
type program struct {
	name string
	path string
	env  []string
	mode lambdatest.Mode
}

// function returns the program as a Lambda function that has not been started.
func (p program) function() *lambdatest.Function {
	return &lambdatest.Function{Name: "bench", Path: p.path, Env: p.env, MemoryMB: 512, Timeout: 2 * time.Minute}
}

// builds is where the programs are.
type builds struct {
	dir                            string
	floor, chat, models, devserver string
}

// build compiles all programs into dir: the functions as for deployment, but for
// this machine.
func build(ctx context.Context, dir string) (builds, error) {
	b := builds{dir: dir, devserver: filepath.Join(dir, "devserver")}
	var err error
	if b.floor, err = lambdatest.Compile(ctx, "./internal/cmd/bench/floor"); err != nil {
		return b, err
	}
	if b.chat, err = makeFunction(ctx, dir, "ChatCompletionsFunction", runtime.GOARCH); err != nil {
		return b, err
	}
	if b.models, err = makeFunction(ctx, dir, "ModelsFunction", runtime.GOARCH); err != nil {
		return b, err
	}
	return b, run(ctx, "go", "build", "-trimpath", "-o", b.devserver, "./internal/cmd/devserver")
}

// makeFunction builds a function the way sam build does and returns its path.
func makeFunction(ctx context.Context, dir, name, arch string) (string, error) {
	out := filepath.Join(dir, arch, name)
	if err := os.MkdirAll(out, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(out, "bootstrap"), run(ctx, "make", "build-"+name, "ARTIFACTS_DIR="+out, "LAMBDA_ARCH="+arch)
}

func run(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput() //nolint:gosec // fixed commands
	if err != nil {
		return fmt.Errorf("%s %v: %w\n%s", name, args, err, out)
	}
	return nil
}

// programs returns all functions as they run between fakes over TLS or over HTTP.
func (b builds) programs(a addresses, secure bool) map[string]program {
	url, fixed := a.Plain, lambdatest.GoSettings
	if secure {
		url, fixed = a.TLS, append([]string{"SSL_CERT_FILE=" + a.Certificate}, lambdatest.GoSettings...)
	}
	with := func(models string) []string {
		return append(slices.Clone(fixed), "AWS_ENDPOINT_URL="+url, "API_KEY_SECRET="+secretID, "EXTERNAL_BASE_URL="+url+"/v1", "EXTERNAL_API_KEY_SECRET="+secretID, "MODELS="+models)
	}
	list := map[string]program{}
	for _, p := range []program{
		{floorName, b.floor, nil, lambdatest.Stream}, // bare: without our settings too
		{modelsName, b.models, with(bedrockModel), lambdatest.Buffered},
		{bedrockName, b.chat, with(bedrockModel), lambdatest.Stream},
		{externalName, b.chat, with(externalModel), lambdatest.Stream},
		{baselineName, b.chat, with(baselineModel), lambdatest.Stream},
	} {
		list[p.name] = p
	}
	return list
}

const (
	bedrockModel  = "agent=bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	externalModel = "agent=external:large-model"
	baselineModel = "agent=baseline:random"
)

// measureSizes builds both functions for deployment and measures them.
func measureSizes(ctx context.Context, dir string) ([]sizeResult, error) {
	var list []sizeResult
	for _, f := range []struct{ program, target string }{{"chat", "ChatCompletionsFunction"}, {"models", "ModelsFunction"}} {
		path, err := makeFunction(ctx, dir, f.target, "arm64")
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		zipped, err := zipSize(path)
		if err != nil {
			return nil, err
		}
		list = append(list, sizeResult{f.program, info.Size(), zipped})
	}
	return list, nil
}

// zipSize is the size of a file that is zipped alone, at the level that SAM uses.
func zipSize(path string) (int64, error) {
	in, err := os.Open(path) //nolint:gosec // a program that was built for this run
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }() // only read
	const level = 6                   // zlib's default, which is Python's
	var size counter
	w := zip.NewWriter(&size)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, level) })
	entry, err := w.Create("bootstrap")
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(entry, in); err != nil {
		return 0, err
	}
	err = w.Close()
	return int64(size), err
}

// A counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
