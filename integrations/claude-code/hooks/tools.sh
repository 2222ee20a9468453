#!/bin/sh
# Serves the memory tools, in the namespace of the project.
set -- mcp serve --project --extra-tools "--label=Claude Code"
if command -v memrelay >/dev/null 2>&1; then exec memrelay "$@"; fi
exec npx -y memrelay "$@"
