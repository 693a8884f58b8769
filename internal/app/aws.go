package app

import (
	"context"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/auth"
)

// awsConfig is made by hand instead of by the SDK's config package, which
// would cost a cold start 3 ms and the binary 2 MB for ways to find
// credentials that a function never uses. Retries are off: package chat is the
// only place that retries.
func (e *endpoint) awsConfig() aws.Config {
	c := e.config.AWS
	return aws.Config{
		Region:     c.Region,
		HTTPClient: sender{e.client},
		Retryer:    func() aws.Retryer { return aws.NopRetryer{} },
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken, Source: "environment",
			}, nil
		}),
	}
}

// A sender sends the SDK's requests.
type sender struct{ *http.Client }

// Do hides that the body can write itself. The SDK closes it as soon as a
// response begins, and on a closed one WriteTo fails where Read just reports
// the end: of an upstream that answers fast, http.Transport would throw a good
// connection away every now and then.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return s.Client.Do(r) //nolint:gosec // the SDK made the request, to an endpoint of AWS or of the settings
}

// secrets returns what reads Secrets Manager.
func (e *endpoint) secrets() *auth.SecretsManager {
	c := e.awsConfig()
	return &auth.SecretsManager{HTTP: e.client, Region: c.Region, Endpoint: e.config.AWS.SecretsEndpoint, Credentials: c.Credentials}
}

// bedrock returns a client of Amazon Bedrock and has its connection opened
// ahead of the first request.
func (e *endpoint) bedrock() *bedrockruntime.Client {
	base := orNil(e.config.AWS.BedrockEndpoint)
	e.warmups = append(e.warmups, warmup{"connection to Bedrock", func(ctx context.Context) error {
		resolved, err := bedrockruntime.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx,
			bedrockruntime.EndpointParameters{Region: aws.String(e.config.AWS.Region), Endpoint: base})
		if err != nil {
			return err
		}
		return e.dialer.openTo(ctx, &resolved.URI)
	}})
	return bedrockruntime.NewFromConfig(e.awsConfig(), func(o *bedrockruntime.Options) { o.BaseEndpoint = base })
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
