#!/bin/sh
# install-chromium.sh: installs Debian's Chromium without windows, and without what only one with windows uses.
set -eu
apt-get update
# x11-utils and xdg-utils bring OpenGL with a compiler, 200 MB, which a browser without windows and GPU never loads. Empty
# packages satisfy the dependency.
for name in x11-utils xdg-utils; do
  folder=$(mktemp -d)
  chmod 0755 "$folder"
  mkdir -m 0755 "$folder/DEBIAN"
  printf 'Package: %s\nVersion: 99\nArchitecture: all\nMaintainer: none\nDescription: empty\n' "$name" > "$folder/DEBIAN/control"
  dpkg-deb --build "$folder" "/tmp/$name.deb"
  dpkg --install "/tmp/$name.deb"
  rm -rf "$folder" "/tmp/$name.deb"
done
apt-get install -y --no-install-recommends chromium-headless-shell util-linux
# Layers for developers of drivers.
rm -f /usr/lib/chromium/libVkLayer_khronos_validation.so* /usr/lib/chromium/libVkICD_mock_icd.so*
apt-get clean
rm -rf /var/lib/apt/lists/*
