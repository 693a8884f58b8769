package app

import (
	"context"

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
		HTTPClient:  f.Client,
		Retryer:     func() aws.Retryer { return aws.NopRetryer{} },
		Credentials: f.Credentials(),
	}
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
