import { toBase64 } from '@memrelay/protocol/bytes';
import type { KeyEntry, KeysResponse, RewrapRequest, RewrapResponse } from '@memrelay/protocol/key-wraps';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { CallOptions } from './wire/types.ts';

/** A key that memories of a namespace are sealed to, with its wraps as in the envelopes. */
export type AccountKey = CamelKeys<KeyEntry>;

/** A wrap that the caller created for the current key servers. */
export interface NewWrap {
  /** 64 hex digits */
  recipientPk: string;
  /** Seal `EncryptedObject` of the private key */
  wrap: Uint8Array;
}

export interface RewrapOptions extends CallOptions {
  /** Wraps created by the caller, at most 20; without them the relayer creates the next ones */
  keys?: readonly NewWrap[];
  /** `next` of the previous call */
  after?: string;
}

export type Rewrapped = CamelKeys<RewrapResponse>;

export async function readKeys(connection: Connection, { signal }: CallOptions): Promise<AccountKey[]> {
  const call = { method: 'POST', path: '/api/keys', body: {}, signal } as const;
  return camelKeys((await callRelayer<KeysResponse>(connection, call)).value).keys;
}

/** One call; `sessionPackageId` is the package that the session is for. */
export async function rewrapKeys(
  connection: Connection,
  sessionPackageId: string,
  { keys, after, signal }: RewrapOptions,
): Promise<Rewrapped> {
  const body: RewrapRequest = {
    ...(after === undefined ? {} : { after }),
    ...(keys
      ? { keys: keys.map(({ recipientPk, wrap }) => ({ recipient_pk: recipientPk, wrap: toBase64(wrap) })) }
      : {}),
  };
  const call = { method: 'POST', path: '/api/keys/rewrap', body, sessionPackageId, signal } as const;
  return camelKeys((await callRelayer<RewrapResponse>(connection, call)).value);
}
