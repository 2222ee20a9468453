import { padBody, plaintextLength, signedMessage } from '../src/body.ts';
import { concatBytes, u32, utf8 } from '../src/bytes.ts';
import { buildHeader, gcmTagLength, parseHeader } from '../src/header.ts';
import { hpkeSender } from '../src/hpke.ts';
import { encodeMeta } from '../src/meta.ts';
import type { Primitives } from '../src/primitives.ts';
import { envelopeInfo } from '../src/seal-envelope.ts';
import { p, type Sealed } from './fixtures.ts';

type Forged = Pick<Sealed, 'bytes' | 'input'>;

/**
 * Seals the result of `plaintextOf` under the header of `of`, as a malicious writer with the public key could: the encryption
 * is valid, but the content need not be.
 */
export function forge(
  of: Forged,
  plaintextOf: (header: Uint8Array, length: number) => Uint8Array,
  length = 1_024,
  primitives: Primitives = p,
): Uint8Array {
  const sender = hpkeSender(primitives, of.input.recipientPk, envelopeInfo);
  const fields = { ...parseHeader(of.bytes), enc: sender.enc, bodyLength: length + gcmTagLength };
  const header = buildHeader(fields);
  return concatBytes(header, sender.seal(header, plaintextOf(header, length)));
}

/** A correctly signed content, padded; `change` edits the padded plaintext afterwards. */
export function signedBody(
  of: Forged,
  content: Uint8Array,
  change: (plaintext: Uint8Array) => void = () => {},
  primitives: Primitives = p,
): Uint8Array {
  const sign = (header: Uint8Array) => {
    const signature = primitives.ed25519Sign(of.input.signer, signedMessage(primitives, header, content));
    const plaintext = padBody(content, signature);
    change(plaintext);
    return plaintext;
  };
  return forge(of, sign, plaintextLength(content.length), primitives);
}

/** The content that `of` was sealed with, changed by `change`. */
export function contentOf(
  of: Forged,
  change: { meta?: Uint8Array; text?: Uint8Array; signer?: Uint8Array } = {},
): Uint8Array {
  const meta = change.meta ?? encodeMeta({ ns: of.input.namespace, ...of.input.meta });
  const text = change.text ?? utf8(of.input.text);
  const signer = change.signer ?? p.ed25519PublicKey(of.input.signer);
  return concatBytes(u32(meta.length), meta, u32(text.length), text, signer);
}
