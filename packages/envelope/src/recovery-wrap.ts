import { concatBytes, equalBytes, plainView, requireLength, utf8 } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';
import { hpkeOpen, hpkeSeal } from './hpke.ts';
import { identityLength } from './identity.ts';
import type { Primitives } from './primitives.ts';
import { recoveryWrapLength, type Wrap, wrapType } from './wraps.ts';

/**
 * Recovery when key servers are lost (optional): the pair's private key, HPKE-sealed to the owner's recovery key with the
 * suite of the body. info = "memrelay-recovery-wrap-v1", aad = identity 56 ‖ recipient_pk 32, so that a wrap opens for no
 * other namespace, epoch or pair.
 */
const info = utf8('memrelay-recovery-wrap-v1');

/** The values that the wrap is bound to: both are in the envelope's header. */
export interface WrapBinding {
  identity: Uint8Array;
  recipientPk: Uint8Array;
}

function aadOf({ identity, recipientPk }: WrapBinding): Uint8Array {
  requireLength(identity, identityLength, 'identity');
  requireLength(recipientPk, 32, 'recipient_pk');
  return concatBytes(identity, recipientPk);
}

/** Throws `RangeError` if the private key does not match `recipientPk`, or the recovery key has small order. */
export function sealRecoveryWrap(
  p: Primitives,
  recoveryPk: Uint8Array,
  binding: WrapBinding,
  privateKey: Uint8Array,
): Wrap {
  const aad = aadOf(binding);
  if (!equalBytes(p.x25519PublicKey(privateKey), binding.recipientPk))
    throw new RangeError('the private key is not of recipient_pk');
  const { enc, ciphertext } = hpkeSeal(p, { recipientPk: recoveryPk, info, aad }, privateKey);
  return { type: wrapType.recovery, bytes: concatBytes(recoveryPk, enc, ciphertext) };
}

/**
 * Returns the pair's 32-byte private key. Throws `EnvelopeError` `malformed`, `wrong_recipient` (the wrap is for another
 * recovery key, or its key does not match `recipientPk`), `decrypt_failed`.
 */
export function openRecoveryWrap(
  p: Primitives,
  wrap: Wrap,
  recoveryPrivateKey: Uint8Array,
  binding: WrapBinding,
): Uint8Array {
  const bytes = plainView(wrap.bytes);
  if (wrap.type !== wrapType.recovery || bytes.length !== recoveryWrapLength)
    throw new EnvelopeError('malformed', 'not a recovery wrap');
  const publicKey = bytes.slice(0, 32);
  if (!equalBytes(p.x25519PublicKey(recoveryPrivateKey), publicKey))
    throw new EnvelopeError('wrong_recipient', "another recovery key's wrap");
  const privateKey = hpkeOpen(
    p,
    { keyPair: { privateKey: recoveryPrivateKey, publicKey }, info, aad: aadOf(binding) },
    { enc: bytes.slice(32, 64), ciphertext: bytes.subarray(64) },
  );
  if (privateKey === undefined)
    throw new EnvelopeError('decrypt_failed', 'the recovery wrap does not authenticate');
  if (!equalBytes(p.x25519PublicKey(privateKey), binding.recipientPk))
    throw new EnvelopeError('wrong_recipient', 'the recovered key is not of recipient_pk');
  return privateKey;
}
