#!/usr/bin/env bash
# Prints what CHANGELOG.md says about a version, without its heading. A version that it does not
# know, or says nothing about, is an error: nothing is released without a word.
#
# usage: release_notes.sh v1.2.3 [CHANGELOG.md]
set -euo pipefail

version=${1:?usage: release_notes.sh v1.2.3 [CHANGELOG.md]}
file=${2:-$(dirname "${BASH_SOURCE[0]}")/../CHANGELOG.md}

notes=$(awk -v heading="## [${version#v}]" '
  index($0, "## ") == 1 { inside = index($0, heading) == 1; next }
  inside { print }
' "$file")
if [[ -z ${notes//[[:space:]]/} ]]; then
  echo "CHANGELOG.md has no section [${version#v}]" >&2
  exit 1
fi
printf '%s\n' "$notes"
