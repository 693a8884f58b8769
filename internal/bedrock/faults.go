package bedrock

import (
	"net/http"
	"slices"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// A faultKind is a kind of failure: how to know it, and what to answer.
type faultKind struct {
	codes []string // names of AWS errors; none: any
	texts []string // parts of their text in lower case, of which one must be there; none: any

	status    int
	kind      string
	code      string
	param     string
	temporary bool
	patience  openai.Patience // of a temporary one
	message   string
}

func (f *faultKind) matches(code, text string) bool {
	if len(f.codes) == 0 && len(f.texts) == 0 {
		return false
	}
	return (len(f.codes) == 0 || slices.Contains(f.codes, code)) &&
		(len(f.texts) == 0 || slices.ContainsFunc(f.texts, func(part string) bool { return strings.Contains(text, part) }))
}

func (f *faultKind) error() *openai.Error {
	return &openai.Error{Status: f.status, Type: f.kind, Code: f.code, Param: f.param, Temporary: f.temporary, Patience: f.patience, Message: f.message}
}

// validation are the errors whose text says what is wrong with a request.
var validation = []string{"ValidationException", "BadRequestException"}

// Failures that are also found in other ways than by name.
var (
	throttled = faultKind{
		codes:  []string{"ThrottlingException", "TooManyRequestsException", "Throttling", "ServiceQuotaExceededException", "LimitExceededException"},
		status: http.StatusTooManyRequests, kind: openai.TypeRateLimit, code: openai.CodeRateLimit, temporary: true,
		message: "Amazon Bedrock takes no more requests for this model at the moment: the account's quota of requests or tokens per minute is used up. Send fewer requests at a time, or ask AWS for a higher quota.",
	}
	modelTimeout = faultKind{
		codes:  []string{"ModelTimeoutException"},
		status: http.StatusGatewayTimeout, kind: openai.TypeServer, code: openai.CodeTimeout, temporary: true,
		message: "The model took too long and Amazon Bedrock gave up. Try again, or ask for a shorter answer.",
	}
	unavailable = faultKind{
		codes:  []string{"ServiceUnavailableException", "ServiceUnavailable"},
		status: http.StatusServiceUnavailable, kind: openai.TypeServer, code: openai.CodeUnavailable, temporary: true,
		message: "Amazon Bedrock is not available for this model at the moment. Try again, or choose another model.",
	}
	upstream = faultKind{
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeUpstream, temporary: true,
		message: "Amazon Bedrock could not be reached, or it failed. Try again.",
	}
	noHost = faultKind{
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeUpstream, temporary: true, patience: openai.OnceMore,
		message: "The host of Amazon Bedrock in this AWS region cannot be found. Deploy in a region that has Amazon Bedrock.",
	}
	untrusted = faultKind{
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeUpstream, temporary: true, patience: openai.OnceMore,
		message: "The certificate that is shown for Amazon Bedrock is not trusted. Whoever runs the endpoint has to take what stands between it and AWS, such as a proxy that reads along, out of the way.",
	}
	unusable = faultKind{
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeUpstream, temporary: true, patience: openai.AFewTimes,
		message: "The answer of Amazon Bedrock could not be read. Try again.",
	}
	modelFailed = faultKind{
		codes:  []string{"ModelErrorException", "ModelStreamErrorException"},
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeModelError, temporary: true, patience: openai.AFewTimes,
		message: "The model failed to write a valid answer. Try again; if it happens often, raise 'max_tokens', simplify the tools, or choose another model.",
	}
	credentials = faultKind{
		codes: []string{
			"ExpiredTokenException", "ExpiredToken", "UnrecognizedClientException", "InvalidSignatureException", "InvalidClientTokenId",
			"MissingAuthenticationToken", "MissingAuthenticationTokenException", "IncompleteSignature", "IncompleteSignatureException", "NotAuthorized", "OptInRequired",
		},
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeModelAccessDenied,
		message: "AWS does not accept the endpoint's own credentials. This is not about your API key: whoever runs the endpoint has to check the function's role.",
	}
	unknownModel = faultKind{
		codes:  []string{"ResourceNotFoundException", "ModelNotFoundException", "UnknownOperationException"},
		status: http.StatusNotFound, kind: openai.TypeInvalidRequest, code: openai.CodeModelNotFound, param: "model",
		message: "Amazon Bedrock does not know this model in this AWS region. Check the model id in the endpoint's settings.",
	}
	tooLarge = faultKind{
		codes:  []string{"RequestEntityTooLargeException"},
		status: http.StatusRequestEntityTooLarge, kind: openai.TypeInvalidRequest, code: openai.CodeRequestTooLarge,
		message: "The request is too large for Amazon Bedrock. Send fewer or smaller images, or a shorter history.",
	}
	tooManyTokens = faultKind{ // named by the caller's word for it, which may be another
		codes: validation, texts: []string{"maximum tokens you requested", "max_tokens", "maxtokens", "maximum number of tokens"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeInvalidValue, param: "max_tokens",
		message: "'max_tokens' is more than this model can write. Set a lower limit or leave it out.",
	}
	invalid = faultKind{
		codes:  validation,
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeInvalidValue,
		message: "Amazon Bedrock refuses this request as invalid for this model. Check the schemas of the tools, the images and the parameters against what the model supports.",
	}
)

// accessDenied are the texts of refusals that are about the account rather than
// the function's role.
var accessDenied = []string{
	"don't have access to the model", "access to the model", "model access", "use case details", "use case form", "marketplace",
	"operation not allowed", "account is not authorized", "unsupported countries", "not available for this account", "agreement",
}

// faults are tried in order. They restate the error codes of the Amazon Bedrock
// User Guide (https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html)
// and texts from error reports of client libraries.
var faults = []faultKind{
	{
		codes: []string{"ThrottlingException", "ServiceQuotaExceededException"}, texts: []string{"per day", "daily"},
		status: http.StatusTooManyRequests, kind: openai.TypeRateLimit, code: openai.CodeInsufficientQuota,
		message: "The account's quota of tokens per day for this model on Amazon Bedrock is used up. Wait until tomorrow, choose another model, or ask AWS for a higher quota.",
	},
	{
		codes:  []string{"ModelNotReadyException"},
		status: http.StatusTooManyRequests, kind: openai.TypeRateLimit, code: openai.CodeRateLimit, temporary: true,
		message: "Amazon Bedrock is still loading this model. Try again in a moment.",
	},
	throttled, modelTimeout, unavailable, modelFailed, credentials, tooLarge,
	{
		codes:  []string{"InternalServerException", "InternalFailure", "InternalServerError"},
		status: http.StatusInternalServerError, kind: openai.TypeServer, code: openai.CodeUpstream, temporary: true,
		message: "Amazon Bedrock had an internal error. Try again.",
	},
	{
		texts:  []string{"end of its life", "end of life", "marked by provider as legacy", "deprecated and", "no longer available", "has been retired"},
		status: http.StatusNotFound, kind: openai.TypeInvalidRequest, code: openai.CodeModelNotFound, param: "model",
		message: "This model has been retired on Amazon Bedrock. Choose a newer model in the endpoint's settings.",
	},
	{
		codes: append([]string{"AccessDeniedException", "ResourceNotFoundException"}, validation...), texts: []string{"payment instrument", "invalid_payment"},
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeModelAccessDenied,
		message: "This AWS account has no valid payment method, which AWS Marketplace wants for this model. Whoever runs the endpoint has to add one in the AWS Billing console, or choose a model of Amazon's own.",
	},
	{
		codes: append([]string{"AccessDeniedException", "ResourceNotFoundException"}, validation...), texts: accessDenied,
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeModelAccessDenied,
		message: "This AWS account has no access to the model in this region. Whoever runs the endpoint has to open the model in the Amazon Bedrock console, under Model catalog, and send it one message there (Anthropic asks for a form first), or choose another model.",
	},
	{
		codes:  []string{"AccessDeniedException", "AccessDenied"},
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeModelAccessDenied,
		message: "The endpoint may not call this model: the function's role lacks the permission, or the AWS account has no access to the model in this region. This is not about your API key.",
	},
	{
		codes: validation, texts: []string{"on-demand throughput", "inference profile"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeModelNotFound, param: "model",
		message: "Amazon Bedrock offers this model by inference profile only. Use the profile's id in the endpoint's settings: the model id with a geography before it, such as us. or eu.",
	},
	{
		codes: validation, texts: []string{"model identifier is invalid", "invalid model identifier", "model id is invalid", "'modelid' failed", "resolve the foundation model"},
		status: http.StatusNotFound, kind: openai.TypeInvalidRequest, code: openai.CodeModelNotFound, param: "model",
		message: unknownModel.message,
	},
	{
		codes: validation, texts: []string{
			"input is too long", "prompt is too long", "too many input tokens", "maximum context length", "exceeds the maximum context", "context window",
			"context length", "exceed context limit", "input length",
		},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeContextLength, param: "messages",
		message: "The conversation is longer than this model's context. Shorten the history or the prompt, or choose a model with a larger context.",
	},
	{
		codes: validation, texts: []string{"budget_tokens"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeInvalidValue, param: "thinking",
		message: "This model cannot reason with that budget of tokens. Set 'reasoning_effort' instead, a smaller budget, or a higher 'max_tokens'.",
	},
	tooManyTokens,
	{
		codes: validation, texts: []string{"tool_choice", "toolchoice"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeUnsupportedParameter, param: "tool_choice",
		message: "This model cannot be made to call a tool in this way. Leave 'tool_choice' at 'auto', or choose another model.",
	},
	{
		codes: validation, texts: []string{"grammar", "schema is too complex", "union types", "optional parameters"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeInvalidValue,
		message: "The schemas of this request are too complex for this model's structured outputs. Use fewer optional properties and alternatives, or leave out 'strict'.",
	},
	{
		codes: validation, texts: []string{"stopsequences", "stop_sequences"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeUnsupportedParameter, param: "stop",
		message: "This model does not take these stop sequences. Leave 'stop' out, or choose another model.",
	},
	{
		codes: validation, texts: []string{"temperature", "top_p", "topp", "top_k", "topk"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeUnsupportedParameter, param: "temperature",
		message: "This model does not take these sampling parameters. Leave out 'temperature' and 'top_p', or choose another model.",
	},
	{
		codes: validation, texts: []string{"doesn't support tool use", "does not support tool use", "toolconfig", "inputschema", "input_schema"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeUnsupportedParameter, param: "tools",
		message: "This model does not take these tools: it cannot call tools at all, not in this way, or not with these schemas. Simplify the schemas or choose another model.",
	},
	{
		codes: validation, texts: []string{"support the image", "support image", "process image", "image dimensions", "image exceeds", "images"},
		status: http.StatusBadRequest, kind: openai.TypeInvalidRequest, code: openai.CodeUnsupportedParameter, param: "messages",
		message: "This model does not take the images of this request. Choose a model with vision, or send other images.",
	},
	{
		codes: append([]string{"ResourceNotFoundException"}, validation...), texts: []string{"guardrail"},
		status: http.StatusBadGateway, kind: openai.TypeServer, code: openai.CodeUpstream,
		message: "Amazon Bedrock does not know the guardrail in the endpoint's settings. Check its id and version.",
	},
	invalid, unknownModel,
}
