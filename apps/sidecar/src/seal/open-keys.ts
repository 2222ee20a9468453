import { checkWrap, type WrapExpectation } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { sealIdentity } from '@memrelay/envelope/identity';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { fromHex } from '@memrelay/protocol/bytes';
import type { ExportKeysRequest, ExportKeysResponse } from '@memrelay/protocol/key-exports';
import type {
  Reader,
  RewrapKeysRequest,
  RewrapKeysResponse,
  WrappedKey,
} from '@memrelay/protocol/sidecar-api';
import type { DecryptSession } from './decrypt-session.ts';
import type { AccountRef, UnwrapItem } from './seal-tasks.ts';
import type { KeyUnwrapper } from './unwrap-keys.ts';
import { type WrapParts, wrapKey } from './wrap-key.ts';

export interface OpenKeysParts {
  unwrapper: Pick<KeyUnwrapper, 'unwrapKeys'>;
  /** Decides which wraps may be opened */
  expectedWraps: WrapExpectation;
}

interface KeyRefusal {
  ok: false;
  failure: 'integrity' | 'unavailable' | 'denied';
  reason: string;
}

/** Why a key or envelope from before the signer's first epoch is denied. */
export const epochTooEarly = 'the epoch is before the first one that the signer may read';

/** The account in the form that Seal's policy call requires. */
export function accountRef({ id, initial_shared_version }: Reader['account']): AccountRef {
  return { objectId: id, initialSharedVersion: initial_shared_version };
}

/** Private keys of an account, each sealed to the public key that the reader created for this export. */
export async function exportKeys(
  parts: OpenKeysParts,
  session: DecryptSession,
  request: ExportKeysRequest,
): Promise<ExportKeysResponse['keys']> {
  const to = fromHex(request.to);
  return openKeys(parts, session, request, ({ identity, recipientPk }, privateKey) => {
    const { bytes } = sealRecoveryWrap(nodePrimitives, to, { identity, recipientPk }, privateKey);
    return { ok: true as const, sealed: Buffer.from(bytes).toString('base64') };
  });
}

/**
 * Opens each key and wraps the private key of `recipient_pk` for the current key servers. The wraps in the request
 * are never passed on, because they are not opened for keys that the session already has.
 */
export async function rewrapKeys(
  parts: OpenKeysParts & WrapParts,
  session: DecryptSession,
  request: RewrapKeysRequest,
): Promise<RewrapKeysResponse['keys']> {
  return openKeys(parts, session, request, async ({ identity }, privateKey) => {
    const { wrap } = await wrapKey(identity, parts, { privateKey });
    return { ok: true as const, wrap: Buffer.from(wrap).toString('base64') };
  });
}

/**
 * Opens wrapped keys for one session and calls `use` with each; results are in the order of `keys`. Each private key is
 * overwritten after its `use`. A key that fails affects no other, even if all fail: later requests may reach other key
 * servers.
 */
async function openKeys<Result>(
  parts: OpenKeysParts,
  session: DecryptSession,
  { account, signer, keys }: Reader & { keys: readonly WrappedKey[] },
  use: (key: UnwrapItem, privateKey: Uint8Array) => Result | Promise<Result>,
): Promise<(Result | KeyRefusal)[]> {
  const checked = keys.map((key) => check(parts.expectedWraps, { account, signer }, key));
  const usable = checked.filter((each): each is UnwrapItem => 'identity' in each);
  const unwrapped = await parts.unwrapper.unwrapKeys(session, accountRef(account), usable);
  const results = new Map<UnwrapItem, Result | KeyRefusal>();
  await Promise.all(
    usable.map(async (each, i) => {
      const key = unwrapped[i]!;
      if (!key.ok) {
        const failure = key.reason === 'malformed' ? 'integrity' : key.reason;
        results.set(each, refusal(failure, key.message));
        return;
      }
      try {
        results.set(each, await use(each, key.privateKey));
      } finally {
        key.privateKey.fill(0);
      }
    }),
  );
  return checked.map((each) => ('identity' in each ? results.get(each)! : each));
}

function check(
  expectedWraps: WrapExpectation,
  { account, signer }: Pick<Reader, 'account' | 'signer'>,
  key: WrappedKey,
): UnwrapItem | KeyRefusal {
  if (key.key_epoch > account.key_epoch) return refusal('integrity', 'future_epoch');
  if (key.key_epoch < signer.min_epoch) return refusal('denied', epochTooEarly);
  const identity = sealIdentity(fromHex(account.origin), fromHex(key.tag), BigInt(key.key_epoch));
  const wraps = key.wraps.map(({ type, bytes }) => ({ type, bytes: Buffer.from(bytes, 'base64') }));
  try {
    const { bytes: wrap } = checkWrap({ header: { identity, wraps } }, expectedWraps);
    return { identity, recipientPk: fromHex(key.recipient_pk), wrap };
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return refusal('integrity', error.reason);
  }
}

function refusal(failure: KeyRefusal['failure'], reason: string): KeyRefusal {
  return { ok: false, failure, reason };
}
