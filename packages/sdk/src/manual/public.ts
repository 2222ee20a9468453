/** `@memrelay/sdk/manual`: the client that embeds, encrypts and decrypts locally. Needs `@mysten/sui` and `@mysten/seal`. */
export type { EmbeddingOptions } from './embedding-endpoint.ts';
export { exportedSession, keySessions, type SessionSigner } from './key-session.ts';
export type { KeyServerSet, ManualNetworkOptions, PinnedKeyServer } from './manual-network.ts';
export type * from './manual-types.ts';
export { MemRelayManual } from './mem-relay-manual.ts';
