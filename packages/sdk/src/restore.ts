import type { RestoreResponse } from '@memrelay/protocol/restore';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import type { CallOptions } from './wire/types.ts';

export interface RestoreOptions extends CallOptions {
  /** Of the client when omitted */
  namespace?: string | undefined;
  /** Memories in one call, 1 to 500, default 100 */
  limit?: number | undefined;
  /** Ed25519 keys (hex) whose signatures the caller vouches for; needs WRITE */
  trustedWriters?: readonly string[] | undefined;
  /** One call and no more: `more` tells whether another one would bring something */
  once?: boolean | undefined;
  /** After each call, with what all of them have brought so far */
  onProgress?: ((restored: Restored) => void) | undefined;
}

/** Of several calls: `restored` is their sum, `failed` what could not be read in the end. */
export type Restored = CamelKeys<RestoreResponse>;

const usualLimit = 100;

/** Calls until nothing more comes. A failure that passes may leave something behind: calling again goes on there. */
export async function restore(
  call: (body: object) => Promise<RestoreResponse>,
  { namespace, limit = usualLimit, trustedWriters, once, onProgress }: RestoreOptions,
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
