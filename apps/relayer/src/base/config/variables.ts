import {
  encHistoricalSetsForm,
  encServerConfigsForm,
  parseEncHistoricalSets,
  parseEncKeyServers,
  parseEncServerConfigs,
} from '@memrelay/protocol/enc-servers';
import { limits } from '@memrelay/protocol/limits';
import type { VariableOf } from '@memrelay/protocol/variables';
import { z } from 'zod';
import {
  flag,
  headerSecret,
  hexKeys,
  hostNames,
  integer,
  isOrigin,
  list,
  listenHost,
  logFilter,
  objectId,
  privateKey,
  privateKeys,
  publicUrl,
  rateLimit,
  text,
  url,
  weightedLimit,
} from './forms.ts';
import { laterVariables } from './later-variables.ts';

/** The form of each environment variable. An empty value counts as unset, as container platforms set them. */
export const variables = z.object({
  ...laterVariables,
  DATABASE_URL: text.regex(/^(postgres(ql)?:\/\/|pglite:.)/, 'must be postgres://… or pglite:<directory>'),
  MEM_PACKAGE_ID: objectId,
  MEM_REGISTRY_ID: objectId,
  SIDECAR_AUTH_TOKEN: headerSecret(16),
  SERVER_CHAIN_PRIVATE_KEY: privateKey.optional(),
  SERVER_CHAIN_PRIVATE_KEYS: privateKeys.optional(),
  LLM_API_KEY: headerSecret(1).optional(),
  LLM_API_BASE: url.optional(),
  LLM_CHAT_MODEL: text.default('gpt-4o-mini'),
  LLM_EMBEDDING_MODEL: text.default('text-embedding-3-small'),
  EMBEDDING_PROVIDER: z.enum(['http', 'local', 'built-in']).optional(),
  EMBEDDING_MODEL: text.max(200).optional(),
  EMBEDDING_API_BASE: url.optional(),
  EMBEDDING_API_KEY: headerSecret(1).optional(),
  EMBEDDING_QUERY_PREFIX: text.max(200).optional(),
  EMBEDDING_DOCUMENT_PREFIX: text.max(200).optional(),
  EMBEDDING_QUERY_INPUT_TYPE: text.max(50).optional(),
  EMBEDDING_DOCUMENT_INPUT_TYPE: text.max(50).optional(),
  MEM_MODEL_DIR: text.optional(),
  EMBEDDING_DIM: integer(8, 16_000).default(1536),
  EMBEDDING_CACHE_TTL_SECS: integer(0, 86_400).default(600),
  MEM_ALLOW_MOCK_LLM: flag.default(false),
  MEM_BLIND_INDEX: z
    .enum(['on', 'off', 'true', 'false'])
    .default('on')
    .transform((value) => value === 'on' || value === 'true'),
  PORT: integer(0, 65_535).default(8000),
  MEM_LISTEN_HOST: listenHost.default('127.0.0.1'),
  ALLOWED_HOSTS: hostNames.default([]),
  METRICS_PORT: integer(1, 65_535).optional(),
  RUST_LOG: logFilter.default('memrelay_server=info,tower_http=info'),
  LOG_FORMAT: z.enum(['json', 'pretty', 'text']).default('pretty'),
  SIDECAR_URL: url.default('http://localhost:9000'),
  SIDECAR_WATCHDOG_INTERVAL_SECS: integer(1, 3600).default(30),
  SIDECAR_WATCHDOG_TIMEOUT_SECS: integer(1, 60).default(2),
  SIDECAR_WATCHDOG_MAX_FAILURES: integer(1, 1000).default(6),
  CHAIN_NETWORK: z.enum(['mainnet', 'testnet', 'localnet']).default('mainnet'),
  CHAIN_RPC_URL: url.optional(),
  PUBLIC_CHAIN_RPC_URL: url.optional(),
  PUBLIC_RELAYER_URL: publicUrl.refine(isOrigin, { message: 'must be an origin, without a path' }).optional(),
  PUBLIC_DASHBOARD_URL: publicUrl.optional(),
  STORE_PUBLISHER_URL: url.optional(),
  STORE_AGGREGATOR_URL: url.optional(),
  STORE_AGGREGATOR_URLS: list.pipe(z.array(url)).default([]),
  STORE_AGGREGATOR_RACE_AFTER_MS: integer(0, 60_000).default(150),
  STORE_SKIP_CONSISTENCY_CHECK: flag.default(false),
  STORE_EPOCHS: integer(1, 53).optional(),
  STORE_RENEW_EPOCHS: z.union([z.literal('off'), integer(1, 53)]).optional(),
  STORE_RENEW_PER_HOUR: integer(1, 1_000_000).default(1000),
  STORE_QUILT_WINDOW_MS: integer(0, 600_000).optional(),
  STORE_QUILT_MAX_ITEMS: integer(1, 666).optional(),
  STORE_REPACK_AFTER_SECS: integer(0, 2_592_000).optional(),
  STORE_CHECKS_PER_HOUR: z.union([z.literal('off'), integer(1, 1_000_000)]).default(1000),
  STORE_LOST_AFTER_SECS: integer(0, 31_536_000).default(86_400),
  STORE_WALLET_ALERT_UPLOADS: integer(1, 1_000_000).default(200),
  ALERT_TO_SLACK: url.optional(),
  BLOB_CACHE_TTL_SECS: integer(0, 31_536_000).default(1_209_600),
  BLOB_CACHE_MAX_BYTES: integer(0, 1_073_741_824).default(524_288),
  MEM_ACCOUNT_ID: objectId.optional(),
  ENC_SERVER_CONFIGS: text
    .refine((value) => parseEncServerConfigs(value) !== undefined, { message: encServerConfigsForm })
    .optional(),
  ENC_KEY_SERVERS: text
    .refine((value) => parseEncKeyServers(value) !== undefined, {
      message: 'must be object ids separated by commas',
    })
    .optional(),
  ENC_THRESHOLD: integer(1, 254).optional(),
  ENC_HISTORICAL_SETS: text
    .refine((value) => parseEncHistoricalSets(value) !== undefined, { message: encHistoricalSetsForm })
    .optional(),
  // The sidecar reads these, down to STORE_SYSTEM_OBJECT_ID
  MCP_EXTRA_TOOLS: flag.optional(),
  MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN: integer(1, 1_000_000).optional(),
  MCP_MAX_SESSIONS_PER_IP: integer(1, 1_000_000).optional(),
  MCP_MAX_TOTAL_SESSIONS: integer(1, 1_000_000).optional(),
  MEM_RELAYER_URL: url.optional(),
  STORE_PUBLISHER_JWT_SECRET: text.optional(),
  STORE_SHARDS: integer(4, 32_768).optional(),
  STORE_UPLOAD_RELAY_URL: url.optional(),
  SPONSOR_API_KEY: headerSecret(1).optional(),
  SPONSOR_API_URL: url.optional(),
  SPONSOR_FALLBACK_TO_DIRECT_SIGN: flag.optional(),
  SPONSOR_NETWORK: z.enum(['mainnet', 'testnet', 'localnet']).optional(),
  STORE_PACKAGE_ID: objectId.optional(),
  STORE_STAKING_OBJECT_ID: objectId.optional(),
  STORE_SYSTEM_OBJECT_ID: objectId.optional(),
  RATE_LIMIT_KEY_PER_MINUTE: weightedLimit(300),
  RATE_LIMIT_PER_MINUTE: weightedLimit(600),
  RATE_LIMIT_PER_HOUR: weightedLimit(20_000),
  RATE_LIMIT_STORAGE_BYTES: rateLimit(1024 ** 3),
  SPONSOR_RATE_LIMIT_PER_MINUTE: rateLimit(10),
  SPONSOR_RATE_LIMIT_PER_HOUR: rateLimit(30),
  REDIS_URL: text.regex(/^rediss?:\/\//, 'must be redis://… or rediss://…').optional(),
  MEM_DATA_DIR: text.optional(),
  MEM_SERVER_SECRET: hexKeys.optional(),
  MEM_INDEX_KEY: hexKeys.refine((keys) => keys.length === 1, { message: 'must be one key' }).optional(),
  MEM_WRITER_KEYS: hexKeys.optional(),
  MEM_DROPPED_SECRETS: list
    .pipe(
      z.array(
        z.string().regex(/^[0-9a-f]{32}$/, 'must be check values of 32 hex digits, separated by commas'),
      ),
    )
    .default([]),
  // As a browser writes it in `Origin`: without a path or a final slash
  ALLOWED_ORIGINS: list.pipe(z.array(url.transform((value) => new URL(value).origin))).default([]),
  TRUSTED_PROXY_HOPS: integer(0, 16).default(0),
  UPLOAD_CONCURRENCY: integer(1, 256).default(8),
  // Off, or room for one bulk at least
  MEM_MAX_PENDING_JOBS: z
    .union([z.literal('off'), integer(limits.bulkItems, 1_000_000_000)])
    .default(200_000),
  MEM_MAX_PENDING_JOBS_PER_ACCOUNT: z
    .union([z.literal('off'), integer(limits.bulkItems, 1_000_000_000)])
    .optional(),
  MEM_JOB_KEEP_DAYS: z.union([z.literal('off'), integer(1, 3650)]).default(7),
} satisfies Record<VariableOf<'relayer'>, z.ZodType>);

export type Variables = z.infer<typeof variables>;
