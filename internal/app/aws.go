package app

import (
	"context"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/app/function"
)

// awsConfig is made by hand instead of by the SDK's config package, which
// would cost a cold start 3 ms and the binary 2 MB for ways to find
// credentials that a function never uses. Retries are off: package chat is the
// only place that retries.
func awsConfig(f *function.Function) aws.Config {
	return aws.Config{
		Region:      f.Config.AWS.Region,
		HTTPClient:  sender{f.Client},
		Retryer:     func() aws.Retryer { return aws.NopRetryer{} },
		Credentials: f.Credentials(),
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

// bedrockClient returns a client of Amazon Bedrock and has its connection opened
// ahead of the first request.
func bedrockClient(f *function.Function) *bedrockruntime.Client {
	base := orNil(f.Config.AWS.BedrockEndpoint)
	f.WarmUp("connection to Bedrock", func(ctx context.Context) error {
		resolved, err := bedrockruntime.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx,
			bedrockruntime.EndpointParameters{Region: aws.String(f.Config.AWS.Region), Endpoint: base})
		if err != nil {
			return err
		}
		return f.Dialer.Open(ctx, &resolved.URI)
	})
	return bedrockruntime.NewFromConfig(awsConfig(f), func(o *bedrockruntime.Options) { o.BaseEndpoint = base })
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
