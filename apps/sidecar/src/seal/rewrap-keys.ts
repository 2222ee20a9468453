import { checkWrap } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { sealIdentity } from '@memrelay/envelope/identity';
import type { RewrapKeysRequest, RewrapKeysResponse } from '@memrelay/protocol/sidecar-api';
import { fromHex } from '@mysten/sui/utils';
import type { SidecarContext } from '../context.ts';
import type { DecryptSession } from './decrypt-session.ts';
import type { UnwrapItem } from './seal-tasks.ts';
import { wrapKey } from './wrap-key.ts';

type Result = RewrapKeysResponse['keys'][number];

/**
 * For each key a wrap for the current key servers, made here from the private key that belongs to `recipient_pk`. A given
 * one is never handed on: where the session has the key already, it was not opened. One that fails fails alone, also when
 * all of them do: others may follow whose key servers answer.
 */
export async function rewrapKeys(
  context: SidecarContext,
  session: DecryptSession,
  request: RewrapKeysRequest,
): Promise<Result[]> {
  const checked = request.keys.map((key) => check(context, request, key));
  const usable = checked.filter((each): each is UnwrapItem => 'identity' in each);
  const account = {
    objectId: request.account.id,
    initialSharedVersion: request.account.initial_shared_version,
  };
  const unwrapped = await context.unwrapper.unwrapKeys(session, account, usable);
  const results = new Map<UnwrapItem, Result>();
  await Promise.all(
    usable.map(async (each, i) => {
      const key = unwrapped[i]!;
      if (!key.ok) {
        const failure = key.reason === 'malformed' ? 'integrity' : key.reason;
        results.set(each, { ok: false, failure, reason: key.message });
        return;
      }
      try {
        const { wrap } = await wrapKey(each.identity, context, { privateKey: key.privateKey });
        results.set(each, { ok: true, wrap: Buffer.from(wrap).toString('base64') });
      } finally {
        key.privateKey.fill(0);
      }
    }),
  );
  return checked.map((each) => ('identity' in each ? results.get(each)! : each));
}

function check(
  context: SidecarContext,
  { account, signer }: RewrapKeysRequest,
  key: RewrapKeysRequest['keys'][number],
): UnwrapItem | Result {
  const refuse = (failure: 'integrity' | 'denied', reason: string): Result => ({
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
