/** `@memrelay/sdk/private`: the client of private namespaces. Needs `@mysten/sui` and `@mysten/seal`. */
export type { EmbeddingOptions } from '../manual/embedding-endpoint.ts';
export type { SessionSigner } from '../manual/key-session.ts';
export type { KeyServerSet, ManualNetworkOptions, PinnedKeyServer } from '../manual/manual-network.ts';
export type {
  DroppedHit,
  ManualAccepted,
  ManualListOptions,
  ManualOutcome,
} from '../manual/manual-types.ts';
export { MemRelayPrivate } from './mem-relay-private.ts';
export type * from './private-types.ts';
