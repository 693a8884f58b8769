module hyperstudy-endpoint/internal/schematest

go 1.26.0

require (
	cuelang.org/go v0.17.1
	github.com/google/jsonschema-go v0.4.3
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	hyperstudy-endpoint v0.0.0
)

require golang.org/x/text v0.44.0 // indirect

replace hyperstudy-endpoint => ../..
