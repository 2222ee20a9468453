import type { Mutation } from '../mutation.ts';

export const toolMutations: readonly Mutation[] = [
  {
    breaks: 'stdio.preset-local',
    file: 'packages/mcp/src/presets.ts',
    from: 'http://localhost:5173',
    to: 'http://127.0.0.1:5173',
  },
  {
    breaks: 'stdio.flag-wins',
    file: 'packages/mcp/src/stdio/settings.ts',
    from: 'if (flagged !== undefined) return checkedUrl(flagged, `--${flag}`);',
    to: 'if (flagged !== undefined && !variableOf(env, variable)) return checkedUrl(flagged, `--${flag}`);',
  },
  {
    breaks: 'stdio.presets',
    file: 'packages/mcp/src/stdio/settings.ts',
    from: 'return preset ?? (named === undefined ? undefined : checkedUrl(named, variable));',
    to: 'return named === undefined ? preset : checkedUrl(named, variable);',
  },
  {
    breaks: 'stdio.label',
    file: 'packages/mcp/src/stdio/settings.ts',
    from: "variableOf(env, 'MEM_CLIENT_LABEL')",
    to: 'undefined',
  },
  {
    breaks: 'stdio.namespace',
    file: 'packages/mcp/src/stdio/flags.ts',
    from: "ns: 'namespace', ",
    to: '',
  },
  {
    breaks: 'stdio.help',
    file: 'packages/mcp/src/stdio/flags.ts',
    from: "short: 'h'",
    to: "short: 'x'",
  },
  {
    breaks: 'stdio.usage-error',
    file: 'packages/mcp/src/stdio/flags.ts',
    from: 'values.set(name, value);',
    to: "values.set(name, value.split('=')[0]!);",
  },
  {
    breaks: 'stdio.debug',
    file: 'packages/mcp/src/stdio/settings.ts',
    from: "debug: env.MEM_MCP_DEBUG === '1'",
    to: "debug: env.MEM_MCP_DEBUG === '2'",
  },
  {
    breaks: 'stdio.namespace-precedence',
    file: 'packages/mcp/src/stdio/settings.ts',
    from: 'const namespace = flag ?? variable;',
    to: 'const namespace = variable ?? flag;',
  },
  {
    breaks: 'tools.room',
    file: 'packages/mcp/src/tools/text-room.ts',
    from: 'resultCharacters = 60_000',
    to: 'resultCharacters = 600_000',
  },
  {
    breaks: 'tools.recall',
    file: 'packages/mcp/src/tools/recall.ts',
    from: 'limitField(limits.recallLimit,',
    to: 'limitField(limits.restoreLimit,',
  },
  {
    breaks: 'tools.restore',
    file: 'packages/mcp/src/tools/restore.ts',
    from: 'limitField(limits.restoreLimit,',
    to: 'limitField(limits.recallLimit,',
  },
  {
    breaks: 'tools.empty',
    file: 'packages/mcp/src/tools/recall.ts',
    from: `if (others.length > 0)
    next.push`,
    to: `if (others.length > 99)
    next.push`,
  },
  {
    breaks: 'tools.hints',
    file: 'packages/mcp/src/tools/forget.ts',
    from: 'destructiveHint: true',
    to: 'destructiveHint: false',
  },
  {
    breaks: 'tools.bearer',
    file: 'apps/sidecar/src/tools/credential.ts',
    from: '/^(?:0x)?([0-9a-f]{64})$/i',
    to: '/^(?:0x)?([0-9a-f]{64,66})$/i',
  },
];
