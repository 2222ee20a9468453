/**
 * Every environment variable that is part of the contract (spec "Operator configuration", decisions.md
 * "Configuration beyond the spec"). A snapshot test guards the names: renaming one needs a deprecation.
 */

export const specVariables = [
  'DATABASE_URL',
  'MEM_PACKAGE_ID',
  'MEM_REGISTRY_ID',
  'SIDECAR_AUTH_TOKEN',
  'SERVER_CHAIN_PRIVATE_KEY',
  'LLM_API_KEY',
  'PORT',
  'RUST_LOG',
  'LOG_FORMAT',
  'ALERT_TO_SLACK',
  'SIDECAR_URL',
  'SIDECAR_WATCHDOG_INTERVAL_SECS',
  'SIDECAR_WATCHDOG_TIMEOUT_SECS',
  'SIDECAR_WATCHDOG_MAX_FAILURES',
  'LLM_API_BASE',
  'CHAIN_NETWORK',
  'CHAIN_RPC_URL',
  'STORE_PUBLISHER_URL',
  'STORE_AGGREGATOR_URL',
  'STORE_AGGREGATOR_URLS',
  'STORE_AGGREGATOR_RACE_AFTER_MS',
  'STORE_SKIP_CONSISTENCY_CHECK',
  'BLOB_CACHE_TTL_SECS',
  'BLOB_CACHE_MAX_BYTES',
  'SERVER_CHAIN_PRIVATE_KEYS',
  'MEM_ACCOUNT_ID',
  'STORE_PACKAGE_ID',
  'STORE_UPLOAD_RELAY_URL',
  'ENC_SERVER_CONFIGS',
  'ENC_KEY_SERVERS',
  'ENC_THRESHOLD',
  'SPONSOR_API_KEY',
  'SPONSOR_NETWORK',
  'SPONSOR_FALLBACK_TO_DIRECT_SIGN',
  'MEM_RELAYER_URL',
  'MCP_MAX_TOTAL_SESSIONS',
  'MCP_MAX_SESSIONS_PER_IP',
  'MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN',
] as const;

export const furtherVariables = [
  'REDIS_URL',
  'MEM_DATA_DIR',
  'MEM_SERVER_SECRET',
  'MEM_INDEX_KEY',
  'MEM_WRITER_KEYS',
  'MEM_DROPPED_SECRETS',
  'MEM_BLIND_INDEX',
  'MEM_ALLOW_MOCK_LLM',
  'MEM_JOB_KEEP_DAYS',
  'MEM_MAX_PENDING_JOBS',
  'MEM_MAX_PENDING_JOBS_PER_ACCOUNT',
  'MEM_LISTEN_HOST',
  'ALLOWED_HOSTS',
  'ALLOWED_ORIGINS',
  'METRICS_PORT',
  'PUBLIC_CHAIN_RPC_URL',
  'PUBLIC_RELAYER_URL',
  'PUBLIC_DASHBOARD_URL',
  'ENC_HISTORICAL_SETS',
  'LLM_CHAT_MODEL',
  'LLM_EMBEDDING_MODEL',
  'EMBEDDING_DIM',
  'EMBEDDING_CACHE_TTL_SECS',
  'UPLOAD_CONCURRENCY',
  'RATE_LIMIT_PER_MINUTE',
  'RATE_LIMIT_PER_HOUR',
  'RATE_LIMIT_KEY_PER_MINUTE',
  'RATE_LIMIT_STORAGE_BYTES',
  'TRUSTED_PROXY_HOPS',
  'STORE_PUBLISHER_JWT_SECRET',
  'STORE_EPOCHS',
  'STORE_SHARDS',
  'STORE_SYSTEM_OBJECT_ID',
  'STORE_STAKING_OBJECT_ID',
  'STORE_CHECKS_PER_HOUR',
  'STORE_LOST_AFTER_SECS',
  'STORE_RENEW_EPOCHS',
  'STORE_RENEW_PER_HOUR',
  'STORE_QUILT_WINDOW_MS',
  'STORE_REPACK_AFTER_SECS',
  'STORE_QUILT_MAX_ITEMS',
  'STORE_WALLET_ALERT_UPLOADS',
  'SPONSOR_API_URL',
  'SPONSOR_RATE_LIMIT_PER_MINUTE',
  'SPONSOR_RATE_LIMIT_PER_HOUR',
  'LOCALNET_PORT',
  'BLOBSTORE_PORT',
  'BLOBSTORE_MAX_STORE_BYTES',
  'DASHBOARD_PORT',
  'MCP_EXTRA_TOOLS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

/** Read by the stdio tool package and the command, never by the relayer. */
export const clientVariables = [
  'MEM_SERVER_URL',
  'MEM_WEB_URL',
  'MEM_CLIENT_LABEL',
  'MEM_NAMESPACE',
  'MEM_MCP_DEBUG',
] as const;

export const knownVariables: readonly string[] = [...specVariables, ...furtherVariables, ...clientVariables];

/** Variables with these beginnings are ours: an unknown one is probably misspelt. */
export const ownPrefixes: readonly string[] = ['MEM_', 'STORE_', 'ENC_', 'SPONSOR_', 'MCP_'];

/** Beginnings of the original system's (MemWal's) variables, and of ours. */
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
 * Variables of the original system that are set while ours of the same meaning is not, with our name. Their values are
 * never read: an `OPENAI_API_KEY` may be there for another program.
 */
export function originalVariables(names: readonly string[]): { original: string; ours: string }[] {
  return names.flatMap((original) => {
    const prefix = originalPrefixes.find(([theirs]) => original.startsWith(theirs));
    const ours = prefix && prefix[1] + original.slice(prefix[0].length);
    return ours && knownVariables.includes(ours) && !names.includes(ours) ? [{ original, ours }] : [];
  });
}
