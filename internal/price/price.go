// Package price holds the prices of AWS that every decision has, for the commands
// that compute costs: those of us-east-1 without free tiers and taxes, in dollars.
// docs/costs.md names the pages they are from.
package price

// AsOf is the month for which the prices were published.
const AsOf = "October 2026"

// What a decision costs beside the model.
const (
	LambdaGBSecond = 0.0000133334 // of arm64
	LambdaRequest  = 0.20 / 1e6
	APIRequest     = 3.50 / 1e6 // to a REST API
)
