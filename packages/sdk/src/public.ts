/** `@memrelay/sdk`: the client, its errors and its types. It runs in Node, in browsers and on workers. */
export type { CredentialFile } from '@memrelay/protocol/credential-file';
export type { Analyzed, AnalyzeOptions, FactsPreview } from './analyze.ts';
export type { AskEvent, AskOptions, AskResult } from './ask.ts';
export type { ForgetOptions, Forgotten } from './forget.ts';
export type { AccountKey, RewrapOptions, Rewrapped } from './keys.ts';
export { MemRelay } from './mem-relay.ts';
export type { Profile, ProfileOptions } from './profile.ts';
export type { Reindexed, ReindexOptions } from './reindex.ts';
export type { Restored, RestoreOptions } from './restore.ts';
export type { MemoryOptions, ReplaceOptions, SingleMemory } from './single-memory.ts';
export {
  type ClientErrorCode,
  JobFailedError,
  JobTimeoutError,
  MemRelayError,
  type MemRelayErrorCode,
  NetworkError,
} from './wire/errors.ts';
export type * from './wire/types.ts';
