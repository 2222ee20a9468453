import { concatBytes, isAllZero, readU32, u32, utf8 } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';
import { decodeMeta, type EnvelopeMeta, encodeMeta, maxMetaLength } from './meta.ts';
import { paddedLength } from './padme.ts';
import type { Primitives } from './primitives.ts';

/** `u32 meta_len ‖ meta ‖ u32 text_len ‖ text ‖ signer_pk 32 ‖ sig 64 ‖ zeros` (security.md, "Body plaintext"). */
const signerLength = 32;
const signatureLength = 64;
const signedLabel = utf8('memrelay-envelope-v1\n');

/** The body up to and including `signer_pk`. The signature covers it together with the header. Throws `RangeError`. */
export function encodeContent(meta: EnvelopeMeta, text: string, signerPk: Uint8Array): Uint8Array {
  const metaBytes = encodeMeta(meta);
  const textBytes = utf8(text);
  return concatBytes(u32(metaBytes.length), metaBytes, u32(textBytes.length), textBytes, signerPk);
}

/** Size of the plaintext that `padBody` creates from `contentLength` bytes of content. */
export function plaintextLength(contentLength: number): number {
  return paddedLength(contentLength + signatureLength);
}

export function padBody(content: Uint8Array, signature: Uint8Array): Uint8Array {
  const plaintext = new Uint8Array(plaintextLength(content.length));
  plaintext.set(content);
  plaintext.set(signature, content.length);
  return plaintext;
}

/** The message that the writer signs. */
export function signedMessage(p: Primitives, header: Uint8Array, content: Uint8Array): Uint8Array {
  return concatBytes(signedLabel, p.sha256(header, content));
}

/** A body split into its fields; `meta` and `text` are not decoded yet. All fields are views. */
export interface BodyParts {
  meta: Uint8Array;
  text: Uint8Array;
  signer: Uint8Array;
  signature: Uint8Array;
  /** The body up to and including `signer` */
  content: Uint8Array;
}

/** Splits an authenticated plaintext. Throws `EnvelopeError` `malformed` or `bad_padding`. */
export function splitBody(plaintext: Uint8Array): BodyParts {
  let offset = 0;
  const take = (length: number): Uint8Array => {
    if (length > plaintext.length - offset)
      throw new EnvelopeError('malformed', 'a body field ends outside it');
    offset += length;
    return plaintext.subarray(offset - length, offset);
  };
  const metaLength = readU32(take(4), 0);
  if (metaLength > maxMetaLength) throw new EnvelopeError('malformed', 'meta above 16 KiB');
  const meta = take(metaLength);
  const text = take(readU32(take(4), 0));
  const signer = take(signerLength);
  const content = plaintext.subarray(0, offset);
  const signature = take(signatureLength);
  if (plaintext.length !== paddedLength(offset))
    throw new EnvelopeError('bad_padding', 'body is not exactly the padded size');
  if (!isAllZero(plaintext.subarray(offset))) throw new EnvelopeError('bad_padding', 'padding is not zero');
  return { meta, text, signer, signature, content };
}

/** Throws `EnvelopeError` `bad_meta`, or `malformed` if the text is not UTF-8. */
export function decodeBody(parts: BodyParts): { meta: EnvelopeMeta; text: string } {
  const meta = decodeMeta(parts.meta);
  try {
    return { meta, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(parts.text) };
  } catch {
    throw new EnvelopeError('malformed', 'text is not UTF-8');
  }
}
