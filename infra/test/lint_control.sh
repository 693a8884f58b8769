#!/usr/bin/env bash
# Proves that the linter enforces what .golangci.yml says: in a copy of the project every package gets
# a file that breaks its rule, and each of them must be reported. The untouched copy must be clean, so
# that nothing else can be the reason.
#
# usage: lint_control.sh path/to/golangci-lint
set -euo pipefail

linter=${1:?usage: lint_control.sh path/to/golangci-lint}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

aws=github.com/aws/aws-sdk-go-v2/aws
schema=github.com/santhosh-tekuri/jsonschema/v6
self=hyperstudy-endpoint/internal

# folder, package, and an import that the folder must not have
cases=(
  "functions/models main $self/bedrock"
  "functions/chat-completions main $self/chat"
  "internal/openai openai $schema"
  "internal/rawjson rawjson $schema"
  "internal/lru lru $self/openai"
  "internal/config config $self/openai"
  "internal/jsontree jsontree $schema"
  "internal/jsonschema jsonschema $schema"
  "internal/toolcall toolcall $schema"
  "internal/baseline baseline $aws"
  "internal/external external $aws"
  "internal/upstreamtest upstreamtest $aws"
  "internal/bedrock bedrock $schema"
  "internal/auth auth $schema"
  "internal/chat chat $aws"
  "internal/api api $self/bedrock"
  "internal/lambdahttp lambdahttp $self/openai"
  "internal/telemetry telemetry $self/openai"
  "internal/report report $self/toolcall"
  "internal/app app $schema"
  "internal/app/function function $self/chat"
  "internal/conformance conformance $self/openai"
  "internal/awstest awstest $self/openai"
  "internal/lambdatest lambdatest $self/openai"
  "internal/unlisted unlisted $self/openai"
)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# a file that is deleted but not yet committed is still listed
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do
    if [[ -f $file ]]; then printf '%s\0' "$file"; fi
  done |
  tar --create --null --files-from=- | tar --extract --directory "$scratch"
cd "$scratch"

lint() { "$linter" run --enable-only depguard,forbidigo --show-stats=false 2>&1; }

if ! report=$(lint); then
  printf 'the untouched copy is not clean:\n%s\n' "$report" >&2
  exit 1
fi

for case in "${cases[@]}"; do
  read -r folder package import <<<"$case"
  mkdir -p "$folder"
  printf 'package %s\n\nimport _ "%s"\n' "$package" "$import" >"$folder/zz_control.go"
done
cat >internal/chat/zz_forbidden.go <<'GO'
package chat

import (
	"fmt"
	"log"
	"os"
)

func forbidden() {
	fmt.Println(os.Getenv("HOME"))
	log.Print()
}
GO

if report=$(lint); then
  echo 'the linter accepts what the import table forbids' >&2
  exit 1
fi
faults=0
expect() { # times, text at the start of a line, linter
  local times
  times=$(grep -c "^$2:.*($3)\$" <<<"$report" || true)
  if [[ $times != "$1" ]]; then
    echo "$2: $times reports of $3, want $1" >&2
    faults=1
  fi
}
for case in "${cases[@]}"; do
  read -r folder _ _ <<<"$case"
  expect 1 "$folder/zz_control.go" depguard
done
expect 3 internal/chat/zz_forbidden.go forbidigo
if ((faults)); then
  printf '%s\n' "$report" >&2
  exit 1
fi
echo "lint control: ok, ${#cases[@]} forbidden imports and 3 forbidden calls reported"
