import type { VariableDeclarations } from './declaration.ts';

export const sidecarVariables = {
  SIDECAR_URL: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'url' },
    default: 'http://localhost:9000',
    meaning: 'where the sidecar listens',
  },
  SIDECAR_WATCHDOG_INTERVAL_SECS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 3600 },
    default: '30',
    meaning: 'seconds between health checks',
  },
  SIDECAR_WATCHDOG_TIMEOUT_SECS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 60 },
    default: '2',
    meaning: 'timeout of one check',
  },
  SIDECAR_WATCHDOG_MAX_FAILURES: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 1000 },
    default: '6',
    meaning: 'failed checks in a row after which the relayer exits, so that its platform restarts it',
  },
} as const satisfies VariableDeclarations;

export const chainVariables = {
  CHAIN_NETWORK: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'choice', values: ['mainnet', 'testnet', 'localnet'] },
    default: 'mainnet',
    meaning: '`mainnet`, `testnet` or `localnet`: determines every address that is not set',
  },
  CHAIN_RPC_URL: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'url' },
    shownDefault: 'by network',
    meaning: 'full node, gRPC-web',
  },
  PUBLIC_CHAIN_RPC_URL: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'url' },
    shownDefault: 'by network',
    meaning:
      'the address that `/config` gives to clients; never put a key in it. If it is unset and `CHAIN_RPC_URL` is a plain loopback address, that one is used',
  },
  SERVER_CHAIN_PRIVATE_KEY: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'private-key' },
    meaning:
      "the server's own key, `suiprivkey1…` or 64 hex digits: decrypts for owners who made it a delegate",
  },
  SERVER_CHAIN_PRIVATE_KEYS: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'private-keys' },
    meaning:
      'wallets that pay for uploads when no publisher is set, comma-separated. Relayers on one database share them: each is leased to one upload at a time',
  },
  ENC_SERVER_CONFIGS: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'key-servers' },
    shownDefault: 'by network',
    meaning:
      '[key servers](key-servers.md): JSON array of `{objectId, weight, aggregatorUrl?, apiKeyName?, apiKey?}`; `aggregatorUrl` for committees only, which require it',
  },
  ENC_KEY_SERVERS: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'object-ids' },
    shownDefault: 'by network',
    meaning:
      'deprecated, until 2.0.0: object ids of independent key servers, comma-separated; used when `ENC_SERVER_CONFIGS` is unset',
  },
  ENC_THRESHOLD: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'integer', min: 1, max: 254 },
    shownDefault: 'the smaller of 2 and the total weight',
    meaning: 'weight of key servers that must respond; unset or 1 with a committee alone',
  },
  ENC_HISTORICAL_SETS: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'key-server-sets' },
    meaning:
      'former key servers whose memories stay readable: JSON array of `{servers, threshold}`, `servers` like `ENC_SERVER_CONFIGS`',
  },
  SPONSOR_API_KEY: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'secret', minLength: 1 },
    meaning: 'key of the sponsor; without one `/sponsor` answers `sponsor_unconfigured`',
  },
  SPONSOR_API_URL: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'url' },
    shownDefault: 'Enoki',
    meaning: "address of the sponsor's API",
  },
  SPONSOR_NETWORK: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'choice', values: ['mainnet', 'testnet', 'localnet'] },
    default: 'mainnet',
    meaning: 'network of sponsored transactions',
  },
  SPONSOR_FALLBACK_TO_DIRECT_SIGN: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'flag' },
    default: 'false',
    meaning:
      "the server's wallet (`SERVER_CHAIN_PRIVATE_KEY`) pays the gas if the sponsor fails or is not configured",
  },
  SPONSOR_RATE_LIMIT_PER_MINUTE: {
    readBy: ['relayer'],
    form: { kind: 'limit', min: 1 },
    default: '10',
    meaning: 'sponsor requests a minute per address, and per sender; `off` disables the limit',
  },
  SPONSOR_RATE_LIMIT_PER_HOUR: {
    readBy: ['relayer'],
    form: { kind: 'limit', min: 1 },
    default: '30',
    meaning: 'the same per hour',
  },
} as const satisfies VariableDeclarations;

export const toolVariables = {
  MEM_RELAYER_URL: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'url' },
    shownDefault: '`http://127.0.0.1:$PORT`',
    meaning:
      'where the tools of the sidecar call the relayer; set automatically for a sidecar that the relayer starts',
  },
  MCP_MAX_TOTAL_SESSIONS: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'integer', min: 1, max: 1_000_000 },
    default: '1000',
    meaning: 'total tool sessions, over both transports',
  },
  MCP_MAX_SESSIONS_PER_IP: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'integer', min: 1, max: 1_000_000 },
    default: '16',
    meaning: 'sessions per client address; requests of the sessionless revision count while they are handled',
  },
  MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'integer', min: 1, max: 1_000_000 },
    default: '30',
    meaning: 'new sessions per client address and minute',
  },
  MCP_EXTRA_TOOLS: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'flag' },
    default: 'false',
    meaning: 'enables the extra tools',
  },
} as const satisfies VariableDeclarations;
