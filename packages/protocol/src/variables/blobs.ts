import type { VariableDeclarations } from './declaration.ts';

export const blobVariables = {
  STORE_PUBLISHER_URL: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'url' },
    shownDefault: 'by network',
    meaning: 'where blobs are uploaded. There is no public publisher on mainnet',
  },
  STORE_AGGREGATOR_URL: {
    readBy: ['relayer'],
    localSystem: 'decides',
    form: { kind: 'url' },
    shownDefault: 'by network',
    meaning: 'where blobs are read; always the primary',
  },
  STORE_AGGREGATOR_URLS: {
    readBy: ['relayer'],
    form: { kind: 'urls' },
    default: '',
    meaning: 'further aggregators for [reads that miss the cache](#how-blobs-are-read), comma-separated',
  },
  STORE_AGGREGATOR_RACE_AFTER_MS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 60_000 },
    default: '150',
    meaning: 'how long to wait before the next aggregator is asked as well; 0 asks all at once',
  },
  STORE_SKIP_CONSISTENCY_CHECK: {
    readBy: ['relayer'],
    form: { kind: 'flag' },
    default: 'false',
    meaning:
      'asks aggregators to skip their check when a memory is read for a recall. The bytes are compared with the digest of what was stored in any case',
  },
  STORE_EPOCHS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 53 },
    shownDefault: '2 on mainnet, 50 on testnet, 53 on the localnet',
    meaning: 'how many epochs blobs are stored for',
  },
  STORE_RENEW_EPOCHS: {
    readBy: ['relayer'],
    form: { kind: 'integer-or-off', min: 1, max: 53 },
    shownDefault: 'a tenth of `STORE_EPOCHS`, at least 1',
    meaning:
      'memories with at most this many epochs left are [renewed](stored-memories.md#how-long-memories-last); `off` only logs a warning',
  },
  STORE_RENEW_PER_HOUR: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 1_000_000 },
    default: '1000',
    meaning: 'maximum number of renewals per hour',
  },
  STORE_QUILT_MAX_ITEMS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 666 },
    shownDefault: 'as many as fit: 666 with 1000 shards, 20 on the localnet',
    meaning:
      'maximum number of memories in one [quilt](stored-memories.md#memories-that-are-stored-together); `1` stores each as a separate blob',
  },
  STORE_QUILT_WINDOW_MS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 600_000 },
    shownDefault: '`1000`; 0 on the localnet',
    meaning:
      'how long an upload waits for others to share its quilt. With 0 it takes only those already waiting',
  },
  STORE_CHECKS_PER_HOUR: {
    readBy: ['relayer'],
    form: { kind: 'integer-or-off', min: 1, max: 1_000_000 },
    default: '1000',
    meaning:
      'maximum number of blobs [checked](stored-memories.md#when-a-blob-is-gone) per hour; `off` checks none, and no memory is ever marked lost',
  },
  STORE_REPACK_AFTER_SECS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 2_592_000 },
    shownDefault: '`3600`; 0 on the localnet',
    meaning:
      'how long memories that [share a quilt with a forgotten one](stored-memories.md#memories-that-are-stored-together) wait at most before they are stored again. Until then the owner cannot delete the blob. Memories forgotten in the meantime cost nothing more. A quilt of which half is forgotten does not wait',
  },
  STORE_LOST_AFTER_SECS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 31_536_000 },
    default: '86400',
    meaning: 'grace period: how long a blob must be missing before its memory is marked lost',
  },
  UPLOAD_CONCURRENCY: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 1, max: 256 },
    default: '8',
    meaning: 'concurrent uploads',
  },
  BLOB_CACHE_TTL_SECS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 31_536_000 },
    default: '1209600',
    meaning:
      'how long ciphertext is cached; 0 disables the cache. With Redis, each relayer also keeps what it used in the last minute in memory, up to 16 MiB',
  },
  BLOB_CACHE_MAX_BYTES: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 1_073_741_824 },
    default: '524288',
    meaning: 'larger blobs are not cached; 0 disables the cache',
  },
  STORE_PUBLISHER_JWT_SECRET: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'text' },
    meaning:
      'shared with an authenticated publisher (`--jwt-decode-secret`, HS256): each store carries a token that is valid for five minutes and only for its size, epochs and receiver',
  },
  STORE_PACKAGE_ID: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'object-id' },
    shownDefault: 'that of the system object',
    meaning:
      "Walrus' package on chain. Uploads, sponsored deletions and extensions call the system object's package; the relayer does not start if this is a different one",
  },
  STORE_SYSTEM_OBJECT_ID: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'object-id' },
    shownDefault: "the network's",
    meaning: "Walrus' shared system object. For a private Walrus network, together with the next variable",
  },
  STORE_STAKING_OBJECT_ID: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'object-id' },
    shownDefault: "the network's",
    meaning: "Walrus' shared staking object, of the same package",
  },
  STORE_SHARDS: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'integer', min: 4, max: 32_768 },
    shownDefault: "the network's (1000; the localnet's own)",
    meaning:
      'number of shards of the Walrus network, from which blob ids follow; used to verify what a publisher reports as stored. For a private Walrus network',
  },
  STORE_UPLOAD_RELAY_URL: {
    readBy: ['relayer', 'sidecar'],
    localSystem: 'decides',
    form: { kind: 'url' },
    shownDefault: "the network's",
    meaning:
      'the upload relay. When `STORE_PUBLISHER_URL` is not set, envelopes are uploaded through it, paid for by the wallets of `SERVER_CHAIN_PRIVATE_KEYS` (else the one of `SERVER_CHAIN_PRIVATE_KEY`)',
  },
} as const satisfies VariableDeclarations;
