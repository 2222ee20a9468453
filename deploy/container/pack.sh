#!/bin/sh
# Packs memrelay from a clone: `pack.sh CLONE FOLDER` writes FOLDER/memrelay.tgz.
set -eu
clone=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$clone"
[ -d node_modules ] || npm ci --no-audit --no-fund --no-update-notifier
node scripts/build/pack.mjs memrelay "$folder/memrelay.tgz"
