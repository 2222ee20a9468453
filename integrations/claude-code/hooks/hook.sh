#!/bin/sh
# Calls `memrelay hook EVENT` with the input on stdin. Always succeeds: Claude Code shows failures of hooks to the user, and takes
# exit code 2 as an order to stop.
if command -v memrelay >/dev/null 2>&1; then
  memrelay hook "$1" --host claude-code 2>/dev/null || true
  exit 0
fi
cat >/dev/null
if [ "$1" = session-start ]; then
  echo '{"systemMessage":"memrelay is not installed, so this session has no memory: npm install -g memrelay"}'
fi
