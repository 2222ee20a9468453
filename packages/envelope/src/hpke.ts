import { concatBytes, requireLength, utf8 } from './bytes.ts';
import { hkdfExpand, hkdfExtract } from './hkdf.ts';
import type { Primitives, X25519Exchange } from './primitives.ts';

/**
 * HPKE base mode (RFC 9180): DHKEM(X25519, HKDF-SHA256) = 0x0020, HKDF-SHA256 = 0x0001, and AES-GCM. Only sequence number 0
 * is implemented, because every context seals one message.
 */
export interface HpkeAead {
  id: number;
  keyLength: number;
}

/** The envelope's AEAD (RFC 9180 §7.3). */
export const aes256Gcm: HpkeAead = { id: 0x0002, keyLength: 32 };

export interface X25519KeyPair {
  privateKey: Uint8Array;
  publicKey: Uint8Array;
}

const version = utf8('HPKE-v1');
const empty = new Uint8Array(0);
const kemSuite = concatBytes(utf8('KEM'), Uint8Array.of(0x00, 0x20));
const modeBase = Uint8Array.of(0x00);
const nonceLength = 12;

function labeledExtract(p: Primitives, suite: Uint8Array, salt: Uint8Array, label: string, ikm: Uint8Array) {
  return hkdfExtract(p, salt, version, suite, utf8(label), ikm);
}

/** `length` must be below 256: its two big-endian bytes are written as 0 and `length`. */
function labeledExpand(
  p: Primitives,
  suite: Uint8Array,
  key: Uint8Array,
  label: string,
  info: Uint8Array,
  length: number,
) {
  const labeled = concatBytes(Uint8Array.of(0, length), version, suite, utf8(label), info);
  return hkdfExpand(p, key, labeled, length);
}

/** Caches the contexts by `info` and AEAD. `info` must be a constant of the caller that is never modified. */
const contexts = new WeakMap<Uint8Array, Map<number, Uint8Array>>();

/** `key_schedule_context` of RFC 9180 §5.1 with an empty psk: the same for every message with this `info`. */
function scheduleContext(p: Primitives, suite: Uint8Array, aead: HpkeAead, info: Uint8Array): Uint8Array {
  const ofInfo = contexts.get(info) ?? new Map<number, Uint8Array>();
  contexts.set(info, ofInfo);
  let context = ofInfo.get(aead.id);
  if (context === undefined) {
    context = concatBytes(
      modeBase,
      labeledExtract(p, suite, empty, 'psk_id_hash', empty),
      labeledExtract(p, suite, empty, 'info_hash', info),
    );
    ofInfo.set(aead.id, context);
  }
  return context;
}

/** ExtractAndExpand of RFC 9180 §4.1, then KeySchedule of §5.1 with an empty psk. */
function keyAndNonce(
  p: Primitives,
  aead: HpkeAead,
  dh: Uint8Array,
  enc: Uint8Array,
  recipientPk: Uint8Array,
  info: Uint8Array,
) {
  const eaePrk = labeledExtract(p, kemSuite, empty, 'eae_prk', dh);
  const shared = labeledExpand(p, kemSuite, eaePrk, 'shared_secret', concatBytes(enc, recipientPk), 32);

  const suite = concatBytes(
    utf8('HPKE'),
    Uint8Array.of(0x00, 0x20, 0x00, 0x01, aead.id >> 8, aead.id & 0xff),
  );
  const context = scheduleContext(p, suite, aead, info);
  const secret = labeledExtract(p, suite, shared, 'secret', empty);
  return {
    key: labeledExpand(p, suite, secret, 'key', context, aead.keyLength),
    nonce: labeledExpand(p, suite, secret, 'base_nonce', context, nonceLength),
  };
}

function exchange(p: Primitives, recipientPk: Uint8Array): X25519Exchange {
  const ephemeral = p.randomBytes(32);
  return { enc: p.x25519PublicKey(ephemeral), secret: p.x25519SharedSecret(ephemeral, recipientPk) };
}

/**
 * SetupBaseS with a fresh ephemeral key. `seal` is a separate step, because the envelope's AAD contains `enc`. It may be
 * called only once, because the nonce is fixed. Throws `RangeError` on a recipient key that is not 32 bytes or has small order.
 */
export function hpkeSender(p: Primitives, recipientPk: Uint8Array, info: Uint8Array, aead = aes256Gcm) {
  requireLength(recipientPk, 32, 'recipient key');
  const { enc, secret: dh } = p.x25519Exchange?.(recipientPk) ?? exchange(p, recipientPk);
  if (dh === undefined) throw new RangeError('recipient key of small order');
  const { key, nonce } = keyAndNonce(p, aead, dh, enc, recipientPk, info);
  let used = false;
  return {
    enc,
    seal(aad: Uint8Array, plaintext: Uint8Array): Uint8Array {
      if (used) throw new Error('an HPKE context seals one message');
      used = true;
      return p.aesGcmSeal(key, nonce, aad, plaintext);
    },
  };
}

export interface HpkeSealed {
  enc: Uint8Array;
  ciphertext: Uint8Array;
}

/** Single-shot SealBase. Throws like `hpkeSender`. */
export function hpkeSeal(
  p: Primitives,
  to: { recipientPk: Uint8Array; info: Uint8Array; aad: Uint8Array },
  plaintext: Uint8Array,
  aead = aes256Gcm,
): HpkeSealed {
  const sender = hpkeSender(p, to.recipientPk, to.info, aead);
  return { enc: sender.enc, ciphertext: sender.seal(to.aad, plaintext) };
}

/**
 * Single-shot OpenBase. Returns `undefined` if it does not open, for any reason. `keyPair.publicKey` must be the public half
 * of `keyPair.privateKey`: it is part of the key derivation, so nothing opens with a wrong one.
 */
export function hpkeOpen(
  p: Primitives,
  from: { keyPair: X25519KeyPair; info: Uint8Array; aad: Uint8Array },
  sealed: HpkeSealed,
  aead = aes256Gcm,
): Uint8Array | undefined {
  if (sealed.enc.length !== 32) return undefined;
  const secret = p.x25519SharedSecret(from.keyPair.privateKey, sealed.enc);
  if (secret === undefined) return undefined;
  return hpkeOpenWithSecret(p, { ...from, secret, publicKey: from.keyPair.publicKey }, sealed, aead);
}

/**
 * `hpkeOpen` for callers that have the Diffie-Hellman secret of recipient key and `enc` instead of the recipient's private
 * key. The secret opens only what was sealed with that `enc`.
 */
export function hpkeOpenWithSecret(
  p: Primitives,
  from: { secret: Uint8Array; publicKey: Uint8Array; info: Uint8Array; aad: Uint8Array },
  sealed: HpkeSealed,
  aead = aes256Gcm,
): Uint8Array | undefined {
  const { key, nonce } = keyAndNonce(p, aead, from.secret, sealed.enc, from.publicKey, from.info);
  return p.aesGcmOpen(key, nonce, from.aad, sealed.ciphertext);
}
