import { z } from 'zod';

/** The form of each environment variable. An empty value counts as unset, as container platforms set them. */

const text = z.string();
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');
const url = z.string().refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
  message: 'must be an http or https URL',
});
const objectId = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
  .toLowerCase();
const hexKeys = z
  .string()
  .regex(
    /^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$/,
    'must be 64 hex digits, or several separated by commas, newest first',
  )
  .transform((value) => value.split(',').map((key) => Buffer.from(key, 'hex')));
const privateKeys = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  )
  .refine((keys) => keys.every((key) => /^(suiprivkey1[0-9a-z]+|[0-9a-fA-F]{64})$/.test(key)), {
    message: 'must be suiprivkey1… or 64 hex digits, or several separated by commas',
  });

function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, { message: `must be from ${min} to ${max}` });
}

export const variables = z.object({
  DATABASE_URL: text.regex(/^(postgres(ql)?:\/\/|pglite:.)/, 'must be postgres://… or pglite:<directory>'),
  MEM_PACKAGE_ID: objectId,
  MEM_REGISTRY_ID: objectId,
  SIDECAR_AUTH_TOKEN: text.min(16, 'must be at least 16 characters'),
  SERVER_CHAIN_PRIVATE_KEY: privateKeys.optional(),
  SERVER_CHAIN_PRIVATE_KEYS: privateKeys.optional(),
  LLM_API_KEY: text.optional(),
  LLM_API_BASE: url.default('https://api.openai.com/v1'),
  LLM_CHAT_MODEL: text.default('gpt-4o-mini'),
  LLM_EMBEDDING_MODEL: text.default('text-embedding-3-small'),
  EMBEDDING_DIM: integer(8, 16_000).default(1536),
  EMBEDDING_CACHE_TTL_SECS: integer(0, 86_400).default(600),
  MEM_ALLOW_MOCK_LLM: flag.default(false),
  PORT: integer(0, 65_535).default(8000),
  RUST_LOG: text.default('memrelay_server=info,tower_http=info'),
  LOG_FORMAT: z.enum(['json', 'pretty', 'text']).default('pretty'),
  ALERT_TO_SLACK: text.optional(),
  SIDECAR_URL: url.default('http://localhost:9000'),
  SIDECAR_WATCHDOG_INTERVAL_SECS: integer(1, 3600).default(30),
  SIDECAR_WATCHDOG_TIMEOUT_SECS: integer(1, 60).default(2),
  SIDECAR_WATCHDOG_MAX_FAILURES: integer(1, 1000).default(6),
  CHAIN_NETWORK: z.enum(['mainnet', 'testnet', 'localnet']).default('mainnet'),
  CHAIN_RPC_URL: url.optional(),
  PUBLIC_CHAIN_RPC_URL: url.optional(),
  STORE_PUBLISHER_URL: url.optional(),
  STORE_AGGREGATOR_URL: url.optional(),
  STORE_AGGREGATOR_URLS: text
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(url))
    .default([]),
  STORE_AGGREGATOR_RACE_AFTER_MS: integer(0, 60_000).default(150),
  STORE_SKIP_CONSISTENCY_CHECK: flag.default(false),
  STORE_PACKAGE_ID: objectId.optional(),
  STORE_UPLOAD_RELAY_URL: url.optional(),
  STORE_EPOCHS: integer(1, 53).optional(),
  STORE_PUBLISHER_JWT_SECRET: text.optional(),
  BLOB_CACHE_TTL_SECS: integer(0, 31_536_000).default(1_209_600),
  BLOB_CACHE_MAX_BYTES: integer(0, 1_073_741_824).default(524_288),
  MEM_ACCOUNT_ID: objectId.optional(),
  ENC_SERVER_CONFIGS: text.optional(),
  ENC_KEY_SERVERS: text.optional(),
  ENC_THRESHOLD: integer(1, 255).optional(),
  REDIS_URL: text.regex(/^rediss?:\/\//, 'must be redis://… or rediss://…').optional(),
  MEM_DATA_DIR: text.optional(),
  MEM_SERVER_SECRET: hexKeys.optional(),
  MEM_INDEX_KEY: hexKeys.refine((keys) => keys.length === 1, { message: 'must be one key' }).optional(),
  MEM_WRITER_KEYS: hexKeys.optional(),
  ALLOWED_ORIGINS: text
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(url))
    .default([]),
  TRUSTED_PROXY_HOPS: integer(0, 16).default(0),
  UPLOAD_CONCURRENCY: integer(1, 256).default(8),
  MEM_RELAYER_URL: url.optional(),
});

export type Variables = z.infer<typeof variables>;

/**
 * Part of the contract and taken as they are, for parts that are not built yet: named here so that setting one is
 * no mistake.
 */
export const readByLaterParts: readonly string[] = [
  'LLM_CHAT_MODEL',
  'MCP_MAX_TOTAL_SESSIONS',
  'MCP_MAX_SESSIONS_PER_IP',
  'MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN',
  'MCP_EXTRA_TOOLS',
  'SPONSOR_API_KEY',
  'SPONSOR_NETWORK',
  'SPONSOR_API_URL',
  'SPONSOR_FALLBACK_TO_DIRECT_SIGN',
  'MEM_BLIND_INDEX',
  'METRICS_PORT',
  'RATE_LIMIT_PER_MINUTE',
  'RATE_LIMIT_PER_HOUR',
  'RATE_LIMIT_KEY_PER_MINUTE',
  'RATE_LIMIT_STORAGE_BYTES',
  'STORE_PUBLISHER_JWT_SECRET',
  'STORE_PACKAGE_ID',
  'STORE_UPLOAD_RELAY_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'ALERT_TO_SLACK',
];
