package bedrock

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/openai"
)

// Options change how one model is called. The zero Options are right for a
// model whose id tells its family and that has no guardrail.
type Options struct {
	// Family overrides the family read from the model id, which the ARN of an
	// application inference profile does not tell. It is a row of the family table
	// (claude-4-5), a line of models (claude, nova, llama, mistral, cohere, ai21,
	// jamba, deepseek, qwen, writer), or a model id or how it begins
	// (anthropic.claude-sonnet-4-5). Empty means: read it.
	Family string

	// GuardrailID and GuardrailVersion name an Amazon Bedrock guardrail, the
	// version being a number or DRAFT. Empty means: no guardrail.
	GuardrailID, GuardrailVersion string

	// Images fetches images that a request gives by URL. Nil means a client that
	// reaches public addresses only; any other must guard itself. Redirects, size
	// and time are limited in either case.
	Images *http.Client
}

// A Provider makes chat completions with the Converse operations.
type Provider struct {
	client  *bedrockruntime.Client
	options Options
	family  *family // nil: read from the model id
	fetcher *fetcher
	schemas *schemaMemo
}

// New returns a Provider that calls Bedrock through client, which should make
// one attempt a call. It fails if o names an unknown family.
func New(client *bedrockruntime.Client, o Options) (*Provider, error) {
	p := &Provider{client: client, options: o, fetcher: newFetcher(o.Images), schemas: newSchemaMemo()}
	if o.Family == "" {
		return p, nil
	}
	f, err := familyNamed(o.Family)
	if err != nil {
		return nil, err
	}
	p.family = f
	return p, nil
}

// Complete makes one attempt at a completion with Converse. req.Model is a
// foundation model id, an inference profile id or an ARN. Every error is an
// [*openai.Error].
func (p *Provider) Complete(ctx context.Context, req *openai.ChatCompletionRequest) (*openai.ChatCompletion, error) {
	t, err := p.translate(ctx, req)
	if err != nil {
		return nil, err
	}
	return p.converse(ctx, t)
}

// converse calls Converse with a translated request.
func (p *Provider) converse(ctx context.Context, t *translation) (*openai.ChatCompletion, error) {
	var body capture
	if _, err := p.client.Converse(ctx, &t.input, body.option); err != nil {
		return nil, t.fault(ctx, err)
	}
	return t.completion(body.bytes)
}

// translate turns a request into a Converse request.
func (p *Provider) translate(ctx context.Context, req *openai.ChatCompletionRequest) (*translation, error) {
	t := &translation{req: req, family: p.family, options: &p.options, schemas: p.schemas, honoured: map[string]bool{}}
	if t.family == nil {
		t.family = familyOf(req.Model)
	}
	return t, t.build(ctx, p.fetcher)
}
