import type { VariableDeclarations } from './declaration.ts';

export const localVariables = {
  LOCALNET_PORT: {
    readBy: ['localnet'],
    localSystem: 'decides',
    form: { kind: 'integer', min: 0, max: 65_535 },
    default: '9100',
    meaning: 'chain, key servers and faucet',
  },
  BLOBSTORE_PORT: {
    readBy: ['blobstore'],
    localSystem: 'decides',
    form: { kind: 'integer', min: 0, max: 65_535 },
    default: '31415',
    meaning: 'blob store',
  },
  DASHBOARD_PORT: {
    readBy: ['dashboard'],
    localSystem: 'decides',
    form: { kind: 'integer', min: 0, max: 65_535 },
    default: '5173',
    meaning:
      '[dashboard](sign-in.md#the-dashboard); its origins (`localhost` and `127.0.0.1`) may call the relayer, the local network and the publisher, in addition to those in `ALLOWED_ORIGINS`',
  },
  BLOBSTORE_MAX_STORE_BYTES: {
    readBy: ['blobstore'],
    form: { kind: 'text' },
    shownDefault: '`10737418240` (10 GiB)',
    meaning:
      'maximum bytes of blobs on disk; the job of a memory that does not fit fails with [`store_full`](errors.md#errors-of-a-memory-job)',
  },
  MEM_LOCAL_PROCESSES: {
    readBy: ['client'],
    form: { kind: 'choice', values: ['shared', 'separate'] },
    default: 'shared',
    meaning:
      'whether chain, blob store and dashboard share a process, which takes 70 MB less, or have one each, to measure or debug them',
  },
} as const satisfies VariableDeclarations;

export const commandVariables = {
  MEM_SERVER_URL: {
    readBy: ['client'],
    form: { kind: 'url' },
    shownDefault: 'the relayer of the credential file',
    meaning: 'relayer that a command or the [tools](tools.md) call',
  },
  MEM_NAMESPACE: {
    readBy: ['client'],
    form: { kind: 'text' },
    default: 'default',
    meaning: 'namespace of commands, and of tool calls that do not name one',
  },
  MEM_WEB_URL: {
    readBy: ['client'],
    form: { kind: 'url' },
    shownDefault: 'the dashboard of a known relayer, or of the local system',
    meaning: 'where the tools let you sign in',
  },
  MEM_CLIENT_LABEL: {
    readBy: ['client'],
    form: { kind: 'text' },
    default: 'memrelay MCP',
    meaning: 'label of the key that a sign-in of the tools creates',
  },
  MEM_HOOKS: {
    readBy: ['client'],
    form: { kind: 'text' },
    default: 'on',
    meaning:
      'what the [hooks of agents](agents-that-remember.md) do without being asked: `on`, `recall` (they only read), `capture` (they only store), `off`',
  },
  MEM_HOOK_TOKENS: {
    readBy: ['client'],
    form: { kind: 'text' },
    default: '800',
    meaning:
      'most tokens of memories that a hook adds at the start of a session; before a prompt, half of that. `0` adds none',
  },
  MEM_HOOK_MASK: {
    readBy: ['client'],
    form: { kind: 'text' },
    default: 'on',
    meaning: '`off` makes hooks send keys and passwords as they are; `<private>` sections are never sent',
  },
  MEM_MCP_DEBUG: {
    readBy: ['client'],
    form: { kind: 'text' },
    meaning: '`1` makes the stdio package log more to stderr: calls, requests, times; never keys or texts',
  },
} as const satisfies VariableDeclarations;
