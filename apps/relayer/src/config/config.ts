import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { limits } from '@memrelay/protocol/limits';
import type { Network } from '@memrelay/protocol/networks';
import { networkDefaults } from '@memrelay/protocol/networks';
import type { RequestLimitUnits } from '../api/limits/request-limits.ts';
import type { OAuthConfig } from '../api/oauth/oauth-context.ts';
import type { SponsorLimits } from '../api/routes/sponsor-routes.ts';
import { type Environment, readVariables } from '../base/config/read-config.ts';
import { resolveSecrets, type Secrets } from '../base/config/secrets.ts';
import type { Variables } from '../base/config/variables.ts';
import type { BlobCacheLimits } from '../blobs/blob-cache.ts';
import type { EmbeddingConfig } from '../index/embedding/create-embedder.ts';
import type { BacklogLimits } from '../jobs/queue/backlog.ts';
import type { ChatOptions } from '../language/llm/chat-client.ts';
import { chatOf, embeddingOf } from './embedding-config.ts';

/** The relayer's settings, in the form that its parts need. */
export interface Config {
  port: number;
  /** A collector of traces; undefined: none */
  tracesUrl: string | undefined;
  /** Of the metrics; undefined: none */
  metricsPort: number | undefined;
  /** An IP address or a name of this machine */
  listenHost: string;
  /** Additional allowed values of the `Host` header, each with an optional port */
  allowedHosts: readonly string[];
  publicUrl: string | undefined;
  databaseUrl: string;
  redisUrl: string | undefined;
  network: Network;
  chainRpcUrl: string;
  /** Published to clients; never contains a key */
  publicChainRpcUrl: string;
  packageId: string;
  registryId: string;
  accountId: string | undefined;
  /** Address of SERVER_CHAIN_PRIVATE_KEY */
  serverAddress: string | undefined;
  secrets: Secrets;
  /** Check values of earlier secrets whose loss the operator accepts */
  droppedSecrets: readonly string[];
  sidecar: {
    url: string;
    token: string;
    watchdog: { intervalMs: number; timeoutMs: number; maxFailures: number };
  };
  embedding: EmbeddingConfig;
  /** Undefined without a key and without an address */
  chat: ChatOptions | undefined;
  blindIndex: boolean;
  aggregators: { urls: readonly string[]; raceAfterMs: number; skipConsistencyCheck: boolean };
  blobCache: BlobCacheLimits;
  /** Maximum bytes of the namespaces in memory; 0: none */
  searchCacheBytes: number;
  uploadConcurrency: number;
  jobs: {
    /** Days after which a done job is deleted; undefined: never */
    keepDoneDays: number | undefined;
    backlog: BacklogLimits;
  };
  storeEpochs: number;
  renewals: {
    /** Memories are renewed when at most this many epochs are left; undefined: never */
    epochsLeft: number | undefined;
    perHour: number;
  };
  blobChecks: {
    /** Blobs checked per hour; undefined: none */
    perHour: number | undefined;
    /** Grace period: how long a blob must be missing before its memory is marked lost */
    graceMs: number;
  };
  quilts: {
    /** How long in ms an upload waits for others to share a quilt with */
    windowMs: number;
    /** Undefined: as many as the network allows */
    maxItems: number | undefined;
    /** Longest delay in ms before a quilt that contains a forgotten memory is repacked */
    repackAfterMs: number;
  };
  alerts: {
    /** A secret: anyone who knows it can post */
    webhookUrl: string | undefined;
    /** A wallet with funds for fewer uploads triggers an alert */
    walletUploads: number;
  };
  /** Whether owners may register webhooks */
  webhooks: boolean;
  /** Origins of pages that may call the relayer, including the dashboard's */
  allowedOrigins: readonly string[];
  /** Undefined if the addresses that it needs are not set */
  oauth: OAuthConfig | undefined;
  trustedProxyHops: number;
  requestLimits: RequestLimitUnits;
  /** RATE_LIMIT_STORAGE_BYTES; Infinity for no limit */
  maxStoredBytes: number;
  sponsorLimits: SponsorLimits;
  log: { filter: string; format: 'json' | 'pretty' | 'text' };
}

/** Reads the whole configuration. Throws `ConfigError`; `warnings` are for the log. */
export async function loadConfig(environment: Environment): Promise<{ config: Config; warnings: string[] }> {
  const { values, warnings } = readVariables(environment);
  const defaults = networkDefaults[values.CHAIN_NETWORK];
  const embedding = await embeddingOf(values);
  const serverKey = values.SERVER_CHAIN_PRIVATE_KEY;
  const hasWallet = values.SERVER_CHAIN_PRIVATE_KEYS?.length || serverKey;
  if (values.CHAIN_NETWORK === 'mainnet' && !values.STORE_PUBLISHER_URL && !hasWallet)
    warnings.push(
      'no public publisher serves mainnet: set STORE_PUBLISHER_URL, or a wallet in SERVER_CHAIN_PRIVATE_KEYS; uploads fail until then',
    );
  if ((values.PUBLIC_RELAYER_URL === undefined) !== (values.PUBLIC_DASHBOARD_URL === undefined))
    warnings.push(
      'connecting by a URL and a sign-in needs both PUBLIC_RELAYER_URL and PUBLIC_DASHBOARD_URL; it is off until then',
    );
  if (values.ENC_KEY_SERVERS) warnings.push('ENC_KEY_SERVERS is deprecated; use ENC_SERVER_CONFIGS');
  // On localnet the lexical embedder is expected, and its responses carry `mock`
  if (embedding.provider === 'built-in' && values.CHAIN_NETWORK !== 'localnet')
    warnings.push(
      values.MEM_ALLOW_MOCK_LLM
        ? 'no embedding model is configured: the built-in lexical embedder is used'
        : 'no embedding model is configured (EMBEDDING_PROVIDER, or LLM_API_KEY): routes that embed text return llm_not_configured',
    );
  const config: Config = {
    port: values.PORT,
    metricsPort: values.METRICS_PORT,
    tracesUrl: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    listenHost: values.MEM_LISTEN_HOST,
    allowedHosts: values.ALLOWED_HOSTS,
    publicUrl: values.PUBLIC_RELAYER_URL,
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    network: values.CHAIN_NETWORK,
    chainRpcUrl: values.CHAIN_RPC_URL ?? defaults.chainRpcUrl,
    publicChainRpcUrl:
      values.PUBLIC_CHAIN_RPC_URL ?? plainLoopback(values.CHAIN_RPC_URL) ?? defaults.chainRpcUrl,
    packageId: values.MEM_PACKAGE_ID,
    registryId: values.MEM_REGISTRY_ID,
    accountId: values.MEM_ACCOUNT_ID,
    serverAddress: serverKey ? addressOfPrivateKey(serverKey) : undefined,
    secrets: await resolveSecrets(values),
    droppedSecrets: values.MEM_DROPPED_SECRETS,
    sidecar: {
      url: values.SIDECAR_URL,
      token: values.SIDECAR_AUTH_TOKEN,
      watchdog: {
        intervalMs: values.SIDECAR_WATCHDOG_INTERVAL_SECS * 1000,
        timeoutMs: values.SIDECAR_WATCHDOG_TIMEOUT_SECS * 1000,
        maxFailures: values.SIDECAR_WATCHDOG_MAX_FAILURES,
      },
    },
    embedding,
    blindIndex: values.MEM_BLIND_INDEX,
    chat: chatOf(values),
    aggregators: {
      urls: [values.STORE_AGGREGATOR_URL ?? defaults.aggregatorUrl, ...values.STORE_AGGREGATOR_URLS],
      raceAfterMs: values.STORE_AGGREGATOR_RACE_AFTER_MS,
      skipConsistencyCheck: values.STORE_SKIP_CONSISTENCY_CHECK,
    },
    blobCache: { ttlSeconds: values.BLOB_CACHE_TTL_SECS, maxBlobBytes: values.BLOB_CACHE_MAX_BYTES },
    searchCacheBytes: values.SEARCH_CACHE_MAX_BYTES,
    uploadConcurrency: values.UPLOAD_CONCURRENCY,
    jobs: {
      keepDoneDays: values.MEM_JOB_KEEP_DAYS === 'off' ? undefined : values.MEM_JOB_KEEP_DAYS,
      backlog: backlogOf(values),
    },
    storeEpochs: values.STORE_EPOCHS ?? defaults.storeEpochs,
    renewals: {
      epochsLeft: renewEpochs(values.STORE_RENEW_EPOCHS, values.STORE_EPOCHS ?? defaults.storeEpochs),
      perHour: values.STORE_RENEW_PER_HOUR,
    },
    blobChecks: {
      perHour: values.STORE_CHECKS_PER_HOUR === 'off' ? undefined : values.STORE_CHECKS_PER_HOUR,
      graceMs: values.STORE_LOST_AFTER_SECS * 1000,
    },
    quilts: {
      windowMs: values.STORE_QUILT_WINDOW_MS ?? (values.CHAIN_NETWORK === 'localnet' ? 0 : 1_000),
      maxItems: values.STORE_QUILT_MAX_ITEMS,
      repackAfterMs:
        (values.STORE_REPACK_AFTER_SECS ?? (values.CHAIN_NETWORK === 'localnet' ? 0 : 3_600)) * 1000,
    },
    alerts: { webhookUrl: values.ALERT_TO_SLACK, walletUploads: values.STORE_WALLET_ALERT_UPLOADS },
    webhooks: values.MEM_WEBHOOKS,
    allowedOrigins: [...new Set([...values.ALLOWED_ORIGINS, ...originOf(values.PUBLIC_DASHBOARD_URL)])],
    oauth: oauthOf(values),
    trustedProxyHops: values.TRUSTED_PROXY_HOPS,
    requestLimits: {
      keyPerMinute: values.RATE_LIMIT_KEY_PER_MINUTE,
      ownerPerMinute: values.RATE_LIMIT_PER_MINUTE,
      ownerPerHour: values.RATE_LIMIT_PER_HOUR,
    },
    maxStoredBytes: values.RATE_LIMIT_STORAGE_BYTES,
    sponsorLimits: {
      perMinute: values.SPONSOR_RATE_LIMIT_PER_MINUTE,
      perHour: values.SPONSOR_RATE_LIMIT_PER_HOUR,
    },
    log: { filter: values.RUST_LOG, format: values.LOG_FORMAT },
  };
  return { config, warnings };
}

/** A loopback node URL may be published if it contains no key, because clients are then on this machine too. */
function plainLoopback(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { hostname, username, password, pathname, search } = new URL(url);
  const isPlain = username === '' && password === '' && pathname === '/' && search === '';
  return isPlain && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) ? url : undefined;
}

/**
 * Browser sign-in for remote MCP hosts needs the public URLs of the relayer and of the dashboard with the consent page.
 */
function oauthOf(values: Variables): OAuthConfig | undefined {
  const { PUBLIC_RELAYER_URL: issuer, PUBLIC_DASHBOARD_URL: dashboardUrl } = values;
  return issuer !== undefined && dashboardUrl !== undefined ? { issuer, dashboardUrl } : undefined;
}

function originOf(url: string | undefined): string[] {
  return url === undefined ? [] : [new URL(url).origin];
}

/** Default: a tenth of the storage time, at least one epoch. */
function renewEpochs(set: number | 'off' | undefined, storeEpochs: number): number | undefined {
  return set === 'off' ? undefined : (set ?? Math.max(1, Math.ceil(storeEpochs / 10)));
}

/** By default, one account may have a quarter of the total backlog. */
function backlogOf(values: Variables): BacklogLimits {
  const inAll = boundOf(values.MEM_MAX_PENDING_JOBS);
  const quarter = Math.max(limits.bulkItems, Math.min(50_000, Math.floor(inAll / 4)));
  return { inAll, perAccount: boundOf(values.MEM_MAX_PENDING_JOBS_PER_ACCOUNT ?? quarter) };
}

function boundOf(value: number | 'off'): number {
  return value === 'off' ? Number.POSITIVE_INFINITY : value;
}
