#!/usr/bin/env bash
# Verifies each file of FILES (paths or globs, one per line) and annotates those that fail.
set -uo pipefail
shopt -s nullglob globstar

failed=0
verified=0
flags=(--keys "$KEYS" --require-attestation)
if [ -n "${NODE_ID:-}" ]; then flags+=(--node "$NODE_ID"); fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# The name of a file as a property of an annotation, which it must not end.
property() {
  local name=${1//'%'/%25}
  name=${name//$'\n'/%0A}
  name=${name//$'\r'/%0D}
  name=${name//:/%3A}
  printf '%s' "${name//,/%2C}"
}

while IFS= read -r pattern; do
  if [ -z "$pattern" ]; then continue; fi
  # A path with spaces is one word; only the characters of globs are expanded.
  IFS= files=($pattern)
  if [ "${#files[@]}" -eq 0 ]; then
    echo "::error::no file matches $pattern"
    failed=$((failed + 1))
  fi
  for file in "${files[@]}"; do
    # A name is no flag.
    if [[ $file == -* ]]; then file=./$file; fi
    # CER is a command with its arguments.
    IFS=' ' read -r -a command <<<"$CER"
    if "${command[@]}" verify "$file" "${flags[@]}" >"$report" 2>&1; then
      verified=$((verified + 1))
    else
      reason=$(grep -o '"reason": *"[A-Z_]*"' "$report" | head -n 1 | cut -d '"' -f 4)
      # Without a report cer says in one line why, or npm why there is no cer.
      if [ -z "$reason" ]; then reason=$(grep -m 1 -E '^(cer: |npm error )' "$report" | sed 's/%/%25/g'); fi
      echo "::error file=$(property "$file")::${reason:-the certificate could not be verified}"
      failed=$((failed + 1))
    fi
  done
done <<<"$FILES"

echo "$verified verified, $failed failed"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then echo "Certificates: $verified verified, $failed failed" >>"$GITHUB_STEP_SUMMARY"; fi
[ "$failed" -eq 0 ] && [ "$verified" -gt 0 ]
