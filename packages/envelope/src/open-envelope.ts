import { toHex } from '@memrelay/protocol/bytes';
import { decodeBody, signedMessage, splitBody } from './body.ts';
import { equalBytes, plainView } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';
import { type EnvelopeHeader, parseHeader } from './header.ts';
import { hpkeOpenWithSecret } from './hpke.ts';
import type { EnvelopeMeta } from './meta.ts';
import { namespaceTag, privateNamespaceTag } from './namespace-tag.ts';
import type { Primitives } from './primitives.ts';
import { envelopeInfo } from './seal-envelope.ts';

/**
 * The reader of security.md, "Reader, in order". Call `checkHeader`, then `checkWrap` (`check-wrap.ts`), have the wrap
 * opened, then call `openBody`, and `checkIndexRow` if there is an index row. Before any unwrap, the caller must check that
 * the request's signer has READ. Every failure is an `EnvelopeError`.
 */
export interface Envelope {
  header: EnvelopeHeader;
  /** The complete envelope */
  bytes: Uint8Array;
}

export interface HeaderExpectation {
  /** `account.origin`, 32 bytes */
  origin: Uint8Array;
  /** The tag of the requested namespace */
  tag: Uint8Array;
  /** `account.key_epoch` */
  maxEpoch: bigint;
}

/** Checks only a header, such as one from a range read. Throws `wrong_origin`, `wrong_tag`, `future_epoch`. */
export function checkHeaderFields(header: EnvelopeHeader, expected: HeaderExpectation): void {
  if (!equalBytes(header.origin, expected.origin))
    throw new EnvelopeError('wrong_origin', "another account's envelope");
  if (!equalBytes(header.tag, expected.tag))
    throw new EnvelopeError('wrong_tag', "another namespace's envelope");
  if (header.keyEpoch > expected.maxEpoch)
    throw new EnvelopeError('future_epoch', `key epoch ${header.keyEpoch} above ${expected.maxEpoch}`);
}

/** Step 1: `parseHeader` on a complete envelope, then `checkHeaderFields`. Throws like these two. */
export function checkHeader(bytes: Uint8Array, expected: HeaderExpectation): Envelope {
  const header = parseHeader(bytes, bytes.length);
  checkHeaderFields(header, expected);
  return { header, bytes: plainView(bytes) };
}

/** Trusted signers: keys as 64 lower-case hex digits, or a function of the 32 bytes. */
export type Trust = ReadonlySet<string> | ((signer: Uint8Array) => boolean);

export interface OpenedEnvelope {
  header: EnvelopeHeader;
  meta: EnvelopeMeta;
  text: string;
  /** Who signed it, 32 bytes */
  signer: Uint8Array;
}

/**
 * Step 3: opens the body with the unwrapped private key. Text is returned only after the body was authenticated, the
 * namespace matched and a trusted key's signature was verified. Throws `wrong_recipient`, `decrypt_failed`, `malformed`,
 * `bad_padding`, `bad_meta`, `wrong_tag`, `bad_signature`, `untrusted_signer`.
 */
export function openBody(
  p: Primitives,
  envelope: Envelope,
  recipientPrivateKey: Uint8Array,
  trust: Trust,
): OpenedEnvelope {
  return openWithSecret(p, envelope, envelopeSecret(p, envelope.header, recipientPrivateKey), trust);
}

/**
 * The secret of one envelope, 32 bytes: it opens only this envelope and no other one of the same key. Throws
 * `wrong_recipient`, and `decrypt_failed` for an `enc` of small order.
 */
export function envelopeSecret(
  p: Primitives,
  { recipientPk, enc }: Pick<EnvelopeHeader, 'recipientPk' | 'enc'>,
  recipientPrivateKey: Uint8Array,
): Uint8Array {
  if (recipientPrivateKey.length !== 32)
    throw new EnvelopeError('wrong_recipient', 'not a 32-byte private key');
  if (!equalBytes(p.x25519PublicKey(recipientPrivateKey), recipientPk))
    throw new EnvelopeError('wrong_recipient', 'the private key does not match recipient_pk');
  const secret = p.x25519SharedSecret(recipientPrivateKey, enc);
  if (secret === undefined) throw new EnvelopeError('decrypt_failed', 'the body does not authenticate');
  return secret;
}

/** Like `openBody`, but with the secret of this one envelope (`envelopeSecret`). Throws the same, except `wrong_recipient`. */
export function openWithSecret(
  p: Primitives,
  { header, bytes }: Envelope,
  secret: Uint8Array,
  trust: Trust,
): OpenedEnvelope {
  const headerBytes = bytes.subarray(0, header.headerLength);
  const from = { secret, publicKey: header.recipientPk, info: envelopeInfo, aad: headerBytes };
  const sealed = { enc: header.enc, ciphertext: bytes.subarray(header.headerLength) };
  const plaintext = hpkeOpenWithSecret(p, from, sealed);
  if (plaintext === undefined) throw new EnvelopeError('decrypt_failed', 'the body does not authenticate');

  const parts = splitBody(plaintext);
  const { meta, text } = decodeBody(parts);
  const tagOf = meta.private ? privateNamespaceTag : namespaceTag;
  if (!equalBytes(tagOf(p, header.origin, meta.ns), header.tag))
    throw new EnvelopeError('wrong_tag', 'the sealed namespace does not match the tag of the header');
  if (!p.ed25519Verify(parts.signer, signedMessage(p, headerBytes, parts.content), parts.signature))
    throw new EnvelopeError('bad_signature', "the writer's signature is invalid");
  const signer = parts.signer.slice();
  const trusted = typeof trust === 'function' ? trust(signer) : trust.has(toHex(signer));
  if (!trusted) throw new EnvelopeError('untrusted_signer', 'signed by a key that is not trusted', signer);
  return { header, meta, text, signer };
}

export interface IndexRow {
  envelopeId: Uint8Array;
  /** Digest of the complete envelope */
  sha256: Uint8Array;
}

/** Last step, if the envelope was found through an index row. Throws `index_mismatch`. */
export function checkIndexRow(p: Primitives, envelope: Envelope, row: IndexRow): void {
  if (
    !equalBytes(envelope.header.envelopeId, row.envelopeId) ||
    !equalBytes(p.sha256(envelope.bytes), row.sha256)
  )
    throw new EnvelopeError('index_mismatch', 'does not match the index row');
}
