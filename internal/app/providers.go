package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/app/function"
	"hyperstudy-endpoint/internal/baseline"
	"hyperstudy-endpoint/internal/bedrock"
	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/external"
)

// All providers can hand out text while it is written.
var (
	_ chat.Streamer = (*baseline.Provider)(nil)
	_ chat.Streamer = (*bedrock.Provider)(nil)
	_ chat.Streamer = (*external.Provider)(nil)
)

// providers returns the configured models with what answers for each. Models of
// one upstream share its client.
func providers(f *function.Function) ([]chat.Model, error) {
	var (
		client *bedrockruntime.Client
		out    *outside
		build  = buildID()
		list   = make([]chat.Model, len(f.Config.Models))
	)
	for i, m := range f.Config.Models {
		list[i] = chat.Model{
			Alias: m.Alias, ID: m.ID, OwnedBy: string(m.Provider), MaxTokens: m.MaxTokens, Fallback: m.Fallback, Fingerprint: fingerprint(build, m, f.Config),
		}
		switch m.Provider {
		case config.ProviderBedrock:
			if client == nil {
				client = bedrockClient(f)
			}
			p, err := bedrock.New(client, bedrock.Options{
				Family: m.Family, GuardrailID: m.Guardrail.ID, GuardrailVersion: m.Guardrail.Version,
			})
			if err != nil {
				return nil, fmt.Errorf("MODELS: %s: %w", m.Alias, err)
			}
			list[i].Provider = p
		case config.ProviderExternal:
			if out == nil {
				out = newOutside(f)
			}
			list[i].Provider = out.provider(m)
		case config.ProviderBaseline:
			list[i].Provider = baseline.New()
			list[i].ID = baseline.ModelID
		}
	}
	return list, nil
}

// fingerprint is a short hash of the build and of everything configured that
// has a part in a model's answers: answers with different fingerprints came
// about under different conditions.
func fingerprint(build []byte, m config.Model, c config.Config) string {
	if m.Provider == config.ProviderExternal {
		m.BaseURL = c.Service(m).BaseURL
	}
	m.KeySecret = "" // who pays makes no difference

	h := sha256.New() // whose Write never fails
	_, _ = h.Write(build)
	_, _ = fmt.Fprintf(h, "\n%+v\n%v\n%d", m, c.RequireTools, c.MaxReasks)
	return "fp_" + hex.EncodeToString(h.Sum(nil)[:5])
}

// buildID tells builds apart: by the first page of the executable, which holds
// the linker's hash of everything that went in, or else by the versions of it.
func buildID() []byte {
	const page = 4096
	if path, err := os.Executable(); err == nil {
		if f, err := os.Open(path); err == nil { //nolint:gosec // this program's own file
			defer func() { _ = f.Close() }() // only read
			head := make([]byte, page)
			if _, err := io.ReadFull(f, head); err == nil {
				return head
			}
		}
	}
	info, _ := debug.ReadBuildInfo()
	return []byte(info.String())
}
