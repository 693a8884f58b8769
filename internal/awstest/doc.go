// Package awstest is a fake of the two AWS services the endpoint calls, spoken
// over real HTTP so that the unmodified AWS SDK signs, serializes and parses:
// the Converse and ConverseStream operations of Amazon Bedrock Runtime, and
// GetSecretValue of AWS Secrets Manager. It serves tests in the same process
// ([Server.Config]) and compiled functions alike ([Server.Env]).
//
//	srv := awstest.NewServer(t)
//	srv.Reply(awstest.Throttled(), awstest.ToolUse("submit", `{"value": 70}`))
//	client := bedrockruntime.NewFromConfig(srv.Config())
//	// ... call, then look at srv.Requests()
//
// # What it refuses
//
// A fake that takes everything proves nothing, so this one refuses what the
// services are known to refuse, with their status, error type and (loosely)
// their words. A call passes, in this order:
//
//   - the signature: AWS Signature Version 4, of the right service, recomputed;
//   - the shape of the request: members, types, required members, unions,
//     lengths, ranges, patterns and enumerations of the service model (shapes.json);
//   - the restrictions that depend on the model family (restrictions.go).
//
// The first two hold for every model. A model id of no known [Family] meets only
// those restrictions that hold for all; [Server.Family] tells the family behind an
// id that hides it. A refused call uses up no scripted reply, and is recorded with
// the reason in [Request.Refusal].
//
// # Deviations from the services
//
//   - There is no model: replies are scripted, and token counts are what the
//     script says. Input length is estimated at four bytes a token.
//   - Access to a model, quotas and regions are not modelled; script them with
//     [Error] and [Throttled].
//   - Where reports about a service contradict each other the fake is the
//     stricter of them, except that it never refuses a documented use.
//   - Amazon S3 locations, prompts and guardrails are accepted by shape alone.
//
// # Sources
//
// shapes.json is the request part of the service model of Amazon Bedrock Runtime,
// API version 2023-09-30, as AWS publishes it with botocore 1.43 under the Apache
// License 2.0, without its documentation. The restrictions come from the Amazon
// Bedrock User Guide (supported models and model features, troubleshooting API
// error codes, structured outputs) and the error reports of client libraries.
package awstest
