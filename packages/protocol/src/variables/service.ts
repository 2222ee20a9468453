import type { VariableDeclarations } from './declaration.ts';

export const requiredVariables = {
  DATABASE_URL: {
    readBy: ['relayer'],
    form: { kind: 'database-url' },
    required: true,
    meaning: '`postgres://…` with the vector extension, or `pglite:<directory>` for the embedded database',
  },
  MEM_PACKAGE_ID: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'object-id' },
    required: true,
    meaning: 'the account package on chain',
  },
  MEM_REGISTRY_ID: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'object-id' },
    required: true,
    meaning: 'the registry object of that package',
  },
  SIDECAR_AUTH_TOKEN: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'secret', minLength: 16 },
    required: true,
    meaning:
      'shared secret of relayer and sidecar, at least 16 characters; the sidecar does not start without it',
  },
} as const satisfies VariableDeclarations;

export const secretVariables = {
  MEM_SERVER_SECRET: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'hex-keys' },
    meaning:
      'encrypts texts that wait to be embedded; comma-separated, newest first. To rotate it, put the new one first; remove the old one after 24 hours',
  },
  MEM_INDEX_KEY: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'hex-key' },
    meaning: 'keys the index; never changes during the life of a database. Keep a copy',
  },
  MEM_WRITER_KEYS: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'hex-keys' },
    meaning:
      'Ed25519 seeds that sign memories; comma-separated, newest first. Keep retired ones in the list: memories they signed are trusted only while they are listed',
  },
  MEM_DROPPED_SECRETS: {
    readBy: ['relayer'],
    form: { kind: 'check-values' },
    default: '',
    meaning:
      'check values of former secrets that are lost or must no longer be trusted, as printed when the relayer refuses to start',
  },
} as const satisfies VariableDeclarations;

export const relayerVariables = {
  PORT: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'integer', min: 0, max: 65_535 },
    default: '8000',
    meaning: 'port that the relayer listens on',
  },
  MEM_LISTEN_HOST: {
    readBy: ['relayer'],
    form: { kind: 'listen-host' },
    default: '127.0.0.1',
    meaning:
      'address or name of this machine that the relayer listens on; `0.0.0.0` or `::` for all addresses, as in a container. An address that this machine does not have stops the boot. The sidecar always stays on loopback',
  },
  ALLOWED_HOSTS: {
    readBy: ['relayer'],
    form: { kind: 'host-names' },
    default: '',
    meaning:
      '[names accepted in `Host`](security.md#names-and-web-pages), comma-separated, each with an optional port (without one, any port is accepted). Case and a trailing dot are ignored. `/live` and `/ready` are exempt. A loopback listener also accepts loopback names. On another listener, unset means any name, with a warning at startup',
  },
  REDIS_URL: {
    readBy: ['relayer'],
    form: { kind: 'redis-url' },
    meaning:
      'keeps nonces and the blob cache in Redis, shared by several relayers; without it nonces are in the database and the cache is in memory. All relayers of a database must use the same ([changing it](#changing-the-nonce-store)). A Redis that may evict is refused for nonces: set `maxmemory-policy noeviction`',
  },
  MEM_DATA_DIR: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'text' },
    meaning:
      "where generated keys are stored. `npm start` keeps everything there and defaults to the platform's directory for application data",
  },
  MEM_ACCOUNT_ID: {
    readBy: ['relayer'],
    form: { kind: 'object-id' },
    meaning: 'the account used when a request names none and the key does not identify one',
  },
  MEM_WEBHOOKS: {
    readBy: ['relayer'],
    form: { kind: 'switch' },
    default: 'off',
    meaning:
      'whether owners may register [webhooks](webhooks.md), to which this server then sends requests. Set it equally for all relayers of a database',
  },
  ALLOWED_ORIGINS: {
    readBy: ['relayer', 'localnet', 'blobstore'],
    form: { kind: 'origins' },
    default: '',
    meaning: 'origins of pages that may call, comma-separated',
  },
  PUBLIC_RELAYER_URL: {
    readBy: ['relayer'],
    form: { kind: 'origin' },
    meaning:
      'the origin at which clients and browsers reach this relayer, https or loopback, without a path. Together with the next variable it enables [connecting with a URL](tools-over-http.md#connect-with-a-url). It is the OAuth issuer: changing it ends all grants',
  },
  PUBLIC_DASHBOARD_URL: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'public-url' },
    meaning: 'the dashboard at which owners grant access; its origin counts as one of `ALLOWED_ORIGINS`',
  },
  TRUSTED_PROXY_HOPS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 16 },
    default: '0',
    meaning:
      "number of proxies in front whose `x-forwarded-for` is trusted; with 0 the socket's address counts. Set it behind every proxy: [limits of an address](#limits-of-an-address)",
  },
  RUST_LOG: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'log-filter' },
    default: 'memrelay_server=info,tower_http=info',
    meaning:
      'log filter of relayer and sidecar: `level` or `target=level`, comma-separated. Targets are `memrelay_server`, its parts such as `memrelay_server::jobs` and `memrelay_server::sidecar`, and `tower_http` (requests); others cause a warning. Levels are `trace`, `debug`, `info`, `warn`, `error`, `off`',
  },
  LOG_FORMAT: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'choice', values: ['json', 'pretty', 'text'] },
    default: 'pretty',
    meaning: '`json` writes one object per line; relayer and sidecar',
  },
} as const satisfies VariableDeclarations;

export const backlogVariables = {
  MEM_MAX_PENDING_JOBS_PER_ACCOUNT: {
    readBy: ['relayer'],
    form: { kind: 'integer-or-off', min: 20, max: 1_000_000_000 },
    shownDefault: '`50000`, at most a quarter of the next',
    meaning:
      'jobs of one account that may be waiting or running; more get 503 `overloaded`, with `Retry-After`. `off`, or at least 20: one bulk',
  },
  MEM_MAX_PENDING_JOBS: {
    readBy: ['relayer'],
    form: { kind: 'integer-or-off', min: 20, max: 1_000_000_000 },
    default: '200000',
    meaning: 'the same for all accounts together',
  },
  MEM_JOB_KEEP_DAYS: {
    readBy: ['relayer'],
    form: { kind: 'integer-or-off', min: 1, max: 3650 },
    default: '7',
    meaning:
      'days for which a done job can be polled; then its row is deleted and polling it returns 404 `job_not_found`. Its memory stays. `off` keeps all',
  },
} as const satisfies VariableDeclarations;

export const limitVariables = {
  RATE_LIMIT_PER_MINUTE: {
    readBy: ['relayer'],
    form: { kind: 'limit', min: 10 },
    default: '600',
    meaning:
      'weighted requests of one owner a minute, at least 10; `off` disables the limit. [Limits](limits.md) explains this one and the next three. `memrelay up` sets all four to `off`',
  },
  RATE_LIMIT_PER_HOUR: {
    readBy: ['relayer'],
    form: { kind: 'limit', min: 10 },
    default: '20000',
    meaning: 'the same per hour',
  },
  RATE_LIMIT_KEY_PER_MINUTE: {
    readBy: ['relayer'],
    form: { kind: 'limit', min: 10 },
    default: '300',
    meaning: 'weighted requests of one delegate key a minute, at least 10; `off` disables the limit',
  },
  RATE_LIMIT_STORAGE_BYTES: {
    readBy: ['relayer'],
    form: { kind: 'limit', min: 1 },
    default: '1073741824',
    meaning: 'bytes of encrypted memories that one owner may store; `off` disables the limit',
  },
  METRICS_PORT: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'integer', min: 1, max: 65_535 },
    meaning:
      'port of [Prometheus metrics](metrics.md), on the address of `MEM_LISTEN_HOST`; without it there are none',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    readBy: ['relayer', 'sidecar'],
    form: { kind: 'url' },
    meaning: 'base URL of a collector for [traces](traces.md) (OTLP over HTTP); without it there are none',
  },
  ALERT_TO_SLACK: {
    readBy: ['relayer'],
    form: { kind: 'url' },
    meaning:
      'incoming webhook of a chat for [alerts](#alerts): failed uploads and wallets that run low. Its URL is a secret',
  },
  STORE_WALLET_ALERT_UPLOADS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 1_000_000 },
    default: '200',
    meaning:
      'alert when a wallet of the server has funds for fewer uploads than this, in the log and by the webhook',
  },
} as const satisfies VariableDeclarations;
