#!/bin/sh
# Installs memrelay into a folder: `install.sh SPEC FOLDER`. SPEC is what npm installs: memrelay@1.2.3, or a packed tarball.
# Runs in the build stage of the image and on a machine without containers.
set -eu
spec=$1
folder=$2
mkdir -p "$folder"
cd "$folder"
[ -f package.json ] || printf '{"name":"memrelay-installation","private":true}\n' > package.json
# No package of ours has an install script
npm install --ignore-scripts --omit=dev --no-audit --no-fund --no-update-notifier "$spec"
# Fails here instead of at the first start
node node_modules/memrelay/bin/memrelay.js --version
