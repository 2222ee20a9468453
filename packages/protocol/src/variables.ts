/**
 * Every environment variable of the contract (spec "Operator configuration", decisions.md "Configuration beyond the
 * spec") is declared here once: `memrelay up` and the relayer pass to each part the variables that it is declared to read.
 * The relayer's schema has their formats and defaults, and does not compile while one is missing. A snapshot test guards
 * the names: renaming one needs a deprecation.
 */

/** `client` is the command and the stdio tool package. */
export type VariableReader = 'relayer' | 'sidecar' | 'localnet' | 'blobstore' | 'dashboard' | 'client';

export interface VariableDeclaration {
  readBy: readonly VariableReader[];
  /**
   * How `memrelay up` treats a value in its environment: it `passes` the value on, perhaps with its own default, or
   * `decides` the value itself, as for ports and secrets of this machine and addresses of the embedded network.
   * Default: `passes`.
   */
  localSystem?: 'passes' | 'decides';
}

const declarations = {
  DATABASE_URL: { readBy: ['relayer'] },
  MEM_PACKAGE_ID: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  MEM_REGISTRY_ID: { readBy: ['relayer'], localSystem: 'decides' },
  SIDECAR_AUTH_TOKEN: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  SERVER_CHAIN_PRIVATE_KEY: { readBy: ['relayer', 'sidecar'] },
  LLM_API_KEY: { readBy: ['relayer'] },
  PORT: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  RUST_LOG: { readBy: ['relayer', 'sidecar'] },
  LOG_FORMAT: { readBy: ['relayer', 'sidecar'] },
  ALERT_TO_SLACK: { readBy: ['relayer'] },
  SIDECAR_URL: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  SIDECAR_WATCHDOG_INTERVAL_SECS: { readBy: ['relayer'] },
  SIDECAR_WATCHDOG_TIMEOUT_SECS: { readBy: ['relayer'] },
  SIDECAR_WATCHDOG_MAX_FAILURES: { readBy: ['relayer'] },
  LLM_API_BASE: { readBy: ['relayer'] },
  CHAIN_NETWORK: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  CHAIN_RPC_URL: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  STORE_PUBLISHER_URL: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  STORE_AGGREGATOR_URL: { readBy: ['relayer'], localSystem: 'decides' },
  STORE_AGGREGATOR_URLS: { readBy: ['relayer'] },
  STORE_AGGREGATOR_RACE_AFTER_MS: { readBy: ['relayer'] },
  STORE_SKIP_CONSISTENCY_CHECK: { readBy: ['relayer'] },
  BLOB_CACHE_TTL_SECS: { readBy: ['relayer'] },
  BLOB_CACHE_MAX_BYTES: { readBy: ['relayer'] },
  SERVER_CHAIN_PRIVATE_KEYS: { readBy: ['relayer', 'sidecar'] },
  MEM_ACCOUNT_ID: { readBy: ['relayer'] },
  STORE_PACKAGE_ID: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  STORE_UPLOAD_RELAY_URL: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  ENC_SERVER_CONFIGS: { readBy: ['relayer', 'sidecar'] },
  ENC_KEY_SERVERS: { readBy: ['relayer', 'sidecar'] },
  ENC_THRESHOLD: { readBy: ['relayer', 'sidecar'] },
  SPONSOR_API_KEY: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  SPONSOR_NETWORK: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  SPONSOR_FALLBACK_TO_DIRECT_SIGN: { readBy: ['relayer', 'sidecar'] },
  MEM_RELAYER_URL: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  MCP_MAX_TOTAL_SESSIONS: { readBy: ['relayer', 'sidecar'] },
  MCP_MAX_SESSIONS_PER_IP: { readBy: ['relayer', 'sidecar'] },
  MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN: { readBy: ['relayer', 'sidecar'] },

  // Beyond the spec
  REDIS_URL: { readBy: ['relayer'] },
  MEM_DATA_DIR: { readBy: ['relayer'], localSystem: 'decides' },
  MEM_SERVER_SECRET: { readBy: ['relayer'], localSystem: 'decides' },
  MEM_INDEX_KEY: { readBy: ['relayer'], localSystem: 'decides' },
  MEM_WRITER_KEYS: { readBy: ['relayer'], localSystem: 'decides' },
  MEM_DROPPED_SECRETS: { readBy: ['relayer'] },
  MEM_BLIND_INDEX: { readBy: ['relayer'] },
  MEM_ALLOW_MOCK_LLM: { readBy: ['relayer'] },
  MEM_JOB_KEEP_DAYS: { readBy: ['relayer'] },
  MEM_MAX_PENDING_JOBS: { readBy: ['relayer'] },
  MEM_MAX_PENDING_JOBS_PER_ACCOUNT: { readBy: ['relayer'] },
  MEM_LISTEN_HOST: { readBy: ['relayer'] },
  ALLOWED_HOSTS: { readBy: ['relayer'] },
  ALLOWED_ORIGINS: { readBy: ['relayer', 'localnet', 'blobstore'] },
  METRICS_PORT: { readBy: ['relayer'] },
  PUBLIC_CHAIN_RPC_URL: { readBy: ['relayer'], localSystem: 'decides' },
  PUBLIC_RELAYER_URL: { readBy: ['relayer'] },
  PUBLIC_DASHBOARD_URL: { readBy: ['relayer'], localSystem: 'decides' },
  ENC_HISTORICAL_SETS: { readBy: ['relayer', 'sidecar'] },
  LLM_CHAT_MODEL: { readBy: ['relayer'] },
  LLM_EMBEDDING_MODEL: { readBy: ['relayer'] },
  EMBEDDING_PROVIDER: { readBy: ['relayer'] },
  EMBEDDING_MODEL: { readBy: ['relayer'] },
  EMBEDDING_API_BASE: { readBy: ['relayer'] },
  EMBEDDING_API_KEY: { readBy: ['relayer'] },
  EMBEDDING_QUERY_PREFIX: { readBy: ['relayer'] },
  EMBEDDING_DOCUMENT_PREFIX: { readBy: ['relayer'] },
  EMBEDDING_QUERY_INPUT_TYPE: { readBy: ['relayer'] },
  EMBEDDING_DOCUMENT_INPUT_TYPE: { readBy: ['relayer'] },
  MEM_MODEL_DIR: { readBy: ['relayer'] },
  EMBEDDING_DIM: { readBy: ['relayer'] },
  EMBEDDING_CACHE_TTL_SECS: { readBy: ['relayer'] },
  UPLOAD_CONCURRENCY: { readBy: ['relayer'] },
  RATE_LIMIT_PER_MINUTE: { readBy: ['relayer'] },
  RATE_LIMIT_PER_HOUR: { readBy: ['relayer'] },
  RATE_LIMIT_KEY_PER_MINUTE: { readBy: ['relayer'] },
  RATE_LIMIT_STORAGE_BYTES: { readBy: ['relayer'] },
  TRUSTED_PROXY_HOPS: { readBy: ['relayer'] },
  STORE_PUBLISHER_JWT_SECRET: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  STORE_EPOCHS: { readBy: ['relayer'] },
  STORE_SHARDS: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  STORE_SYSTEM_OBJECT_ID: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  STORE_STAKING_OBJECT_ID: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  STORE_CHECKS_PER_HOUR: { readBy: ['relayer'] },
  STORE_LOST_AFTER_SECS: { readBy: ['relayer'] },
  STORE_RENEW_EPOCHS: { readBy: ['relayer'] },
  STORE_RENEW_PER_HOUR: { readBy: ['relayer'] },
  STORE_QUILT_WINDOW_MS: { readBy: ['relayer'] },
  STORE_REPACK_AFTER_SECS: { readBy: ['relayer'] },
  STORE_QUILT_MAX_ITEMS: { readBy: ['relayer'] },
  STORE_WALLET_ALERT_UPLOADS: { readBy: ['relayer'] },
  SPONSOR_API_URL: { readBy: ['relayer', 'sidecar'], localSystem: 'decides' },
  SPONSOR_RATE_LIMIT_PER_MINUTE: { readBy: ['relayer'] },
  SPONSOR_RATE_LIMIT_PER_HOUR: { readBy: ['relayer'] },
  LOCALNET_PORT: { readBy: ['localnet'], localSystem: 'decides' },
  BLOBSTORE_PORT: { readBy: ['blobstore'], localSystem: 'decides' },
  BLOBSTORE_MAX_STORE_BYTES: { readBy: ['blobstore'] },
  DASHBOARD_PORT: { readBy: ['dashboard'], localSystem: 'decides' },
  MCP_EXTRA_TOOLS: { readBy: ['relayer', 'sidecar'] },
  OTEL_EXPORTER_OTLP_ENDPOINT: { readBy: ['relayer'] },

  MEM_SERVER_URL: { readBy: ['client'] },
  MEM_LOCAL_MODEL: { readBy: ['client'] },
  MEM_WEB_URL: { readBy: ['client'] },
  MEM_CLIENT_LABEL: { readBy: ['client'] },
  MEM_NAMESPACE: { readBy: ['client'] },
  MEM_MCP_DEBUG: { readBy: ['client'] },
} as const satisfies Record<string, VariableDeclaration>;

export type VariableName = keyof typeof declarations;

/** The variables that the reader is declared to read. */
export type VariableOf<Reader extends VariableReader> = {
  [Name in VariableName]: Reader extends (typeof declarations)[Name]['readBy'][number] ? Name : never;
}[VariableName];

export const declaredVariables: Readonly<Record<VariableName, VariableDeclaration>> = declarations;

export const knownVariables: readonly string[] = Object.keys(declarations);

/** Names of the variables that a part reads. */
export function variablesOf<Reader extends VariableReader>(reader: Reader): readonly VariableOf<Reader>[] {
  const names = Object.keys(declarations) as VariableName[];
  return names.filter((name): name is VariableOf<Reader> => declaredVariables[name].readBy.includes(reader));
}

/** Read by the stdio tool package and the command, never by the relayer. */
export const clientVariables: readonly string[] = variablesOf('client');

/** Prefixes of our variables: an unknown variable with one of them is probably misspelt. */
export const ownPrefixes: readonly string[] = ['MEM_', 'STORE_', 'ENC_', 'SPONSOR_', 'MCP_'];

/** Prefixes of the original system's (MemWal's) variables, each with ours. */
const originalPrefixes: readonly (readonly [string, string])[] = [
  ['MEMWAL_', 'MEM_'],
  ['SEAL_', 'ENC_'],
  ['WALRUS_', 'STORE_'],
  ['SUI_', 'CHAIN_'],
  ['OPENAI_', 'LLM_'],
  ['ENOKI_', 'SPONSOR_'],
  ['SERVER_SUI_', 'SERVER_CHAIN_'],
];

/**
 * Variables of the original system that are set while our counterpart is not, each with our name. Their values are never
 * read, because an `OPENAI_API_KEY` may be meant for another program.
 */
export function originalVariables(names: readonly string[]): { original: string; ours: string }[] {
  return names.flatMap((original) => {
    const prefix = originalPrefixes.find(([theirs]) => original.startsWith(theirs));
    const ours = prefix && prefix[1] + original.slice(prefix[0].length);
    return ours && knownVariables.includes(ours) && !names.includes(ours) ? [{ original, ours }] : [];
  });
}
