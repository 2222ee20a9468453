import { checkWrap } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { sealIdentity } from '@memrelay/envelope/identity';
import { fromHex } from '@memrelay/protocol/bytes';
import type { Reader, WrappedKey } from '@memrelay/protocol/sidecar-api';
import type { SidecarContext } from '../context.ts';
import type { DecryptSession } from './decrypt-session.ts';
import type { UnwrapItem } from './seal-tasks.ts';

export interface KeyRefusal {
  ok: false;
  failure: 'integrity' | 'unavailable' | 'denied';
  reason: string;
}

/**
 * Opens wrapped keys for one session and does something with each, in order; the private key is overwritten when `use` is
 * through. One that fails fails alone, also when all of them do: others may follow whose key servers answer.
 */
export async function openKeys<Result>(
  context: SidecarContext,
  session: DecryptSession,
  { account, signer, keys }: Reader & { keys: readonly WrappedKey[] },
  use: (key: UnwrapItem, privateKey: Uint8Array) => Result | Promise<Result>,
): Promise<(Result | KeyRefusal)[]> {
  const checked = keys.map((key) => check(context, { account, signer }, key));
  const usable = checked.filter((each): each is UnwrapItem => 'identity' in each);
  const ref = { objectId: account.id, initialSharedVersion: account.initial_shared_version };
  const unwrapped = await context.unwrapper.unwrapKeys(session, ref, usable);
  const results = new Map<UnwrapItem, Result | KeyRefusal>();
  await Promise.all(
    usable.map(async (each, i) => {
      const key = unwrapped[i]!;
      if (!key.ok) {
        const failure = key.reason === 'malformed' ? 'integrity' : key.reason;
        results.set(each, { ok: false, failure, reason: key.message });
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
  context: SidecarContext,
  { account, signer }: Pick<Reader, 'account' | 'signer'>,
  key: WrappedKey,
): UnwrapItem | KeyRefusal {
  const refuse = (failure: KeyRefusal['failure'], reason: string): KeyRefusal => ({
    ok: false,
    failure,
    reason,
  });
  if (key.key_epoch > account.key_epoch) return refuse('integrity', 'future_epoch');
  if (key.key_epoch < signer.min_epoch)
    return refuse('denied', 'the epoch is before the first that the signer may read');
  const identity = sealIdentity(fromHex(account.origin), fromHex(key.tag), BigInt(key.key_epoch));
  const wraps = key.wraps.map(({ type, bytes }) => ({ type, bytes: Buffer.from(bytes, 'base64') }));
  try {
    const { bytes: wrap } = checkWrap({ header: { identity, wraps } }, context.expectedWraps);
    return { identity, recipientPk: fromHex(key.recipient_pk), wrap };
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return refuse('integrity', error.reason);
  }
}
