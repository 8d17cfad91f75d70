#!/bin/sh
# keep-service.sh NAME: leaves in the working directory what apps/NAME needs at run time.
set -eu
rm -rf node_modules
npm ci --omit=dev --workspace="@cer/$1"
find apps -mindepth 1 -maxdepth 1 ! -name "$1" -exec rm -rf {} +
# A package that the service does not depend on is not linked.
for package in packages/*; do
  [ -e "node_modules/@cer/${package##*/}" ] || rm -rf "$package"
done
find packages apps -type d \( -name src -o -name test -o -name vectors -o -name testing \) -not -path '*/node_modules/*' -prune -exec rm -rf {} +
find packages apps -type f \( -name '*.tsbuildinfo' -o -name '*.map' -o -name '*.d.ts' \) -not -path '*/node_modules/*' -delete
find . -mindepth 1 -maxdepth 1 ! -name package.json ! -name node_modules ! -name packages ! -name apps ! -name LICENSE \
  ! -name THIRD_PARTY_NOTICES.md -exec rm -rf {} +
