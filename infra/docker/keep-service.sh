#!/bin/sh
# keep-service.sh NAME: leaves in the working directory what apps/NAME needs at run time.
set -eu
mv node_modules built
npm ci --ignore-scripts --omit=dev --workspace="@cer/$1"
# The addons that the build stage compiled, without their sources and objects.
for addon in better-sqlite3 pkcs11js; do
  [ -d "node_modules/$addon" ] || continue
  rm -rf "node_modules/$addon/build" "node_modules/$addon/deps"
  mkdir -p "node_modules/$addon/build/Release"
  cp "built/$addon"/build/Release/*.node "node_modules/$addon/build/Release/"
  rm -f "node_modules/$addon/build/Release/test_extension.node"
done
rm -rf built
find apps -mindepth 1 -maxdepth 1 ! -name "$1" -exec rm -rf {} +
# A package that the service does not depend on is not linked.
for package in packages/*; do
  [ -e "node_modules/@cer/${package##*/}" ] || rm -rf "$package"
done
find packages apps -type d \( -name src -o -name test -o -name vectors -o -name testing \) -not -path '*/node_modules/*' -prune -exec rm -rf {} +
find packages apps -type d -name .turbo -not -path '*/node_modules/*' -prune -exec rm -rf {} +
find packages apps -type f \( -name '*.tsbuildinfo' -o -name '*.map' -o -name '*.d.ts' \) -not -path '*/node_modules/*' -delete
# Declarations and source maps of dependencies; CanvasKit's builds that nothing loads.
rm -rf node_modules/canvaskit-wasm/bin/full node_modules/canvaskit-wasm/bin/profiling
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete
find . -mindepth 1 -maxdepth 1 ! -name package.json ! -name node_modules ! -name packages ! -name apps ! -name LICENSE \
  ! -name THIRD_PARTY_NOTICES.md -exec rm -rf {} +
