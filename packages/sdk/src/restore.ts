import type { RestoreResponse } from '@memrelay/protocol/restore';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import type { CallOptions } from './wire/types.ts';

export interface RestoreOptions extends CallOptions {
  /** Defaults to the client's namespace */
  namespace?: string | undefined;
  /** Memories in one call, 1 to 500, default 100 */
  limit?: number | undefined;
  /** Ed25519 keys (hex) that the caller trusts; requires WRITE */
  trustedWriters?: readonly string[] | undefined;
  /** Send only one request; `more` says whether another one would restore more */
  once?: boolean | undefined;
  /** Called after each request with the totals so far */
  onProgress?: ((restored: Restored) => void) | undefined;
}

/** The result of all requests: `restored` is the sum, `failed` lists the blobs that the last request could not read. */
export type Restored = CamelKeys<RestoreResponse>;

const defaultLimit = 100;

/** Repeats the request until nothing is left. After a temporary failure, call again to continue. */
export async function restore(
  call: (body: object) => Promise<RestoreResponse>,
  { namespace, limit = defaultLimit, trustedWriters, once, onProgress }: RestoreOptions,
): Promise<Restored> {
  const body = { namespace, limit, trusted_writers: trustedWriters };
  let restored = 0;
  for (;;) {
    const answer = camelKeys(await call(body));
    restored += answer.restored;
    const all = { ...answer, restored, skipped: answer.skipped - (restored - answer.restored) };
    onProgress?.(all);
    if (once || !answer.more) return all;
  }
}
