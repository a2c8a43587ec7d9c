#!/usr/bin/env bash
# Chromium with its driver and npm from the system's packages, if they are absent; and axe-core, which knows what people
# with a screen reader or a keyboard cannot use, into the folder that is named.
set -euo pipefail
folder=$1
missing=()
command -v chromium chromium-browser google-chrome >/dev/null || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "the tests of the pages need ${missing[*]}: install them by your system's packages" >&2
    exit 1
  fi
  echo "==> installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
cd "$folder"
npm pack --silent axe-core@4.14.1 >/dev/null
tar -xzf axe-core-4.14.1.tgz package/axe.min.js
