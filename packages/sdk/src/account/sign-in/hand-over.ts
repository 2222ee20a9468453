import { type Scope, scopeBcs } from '@memrelay/chain/account-bcs';
import { concatBytes, equalBytes, plainView, utf8 } from '@memrelay/envelope/bytes';
import { hpkeOpen, hpkeSeal, type X25519KeyPair } from '@memrelay/envelope/hpke';
import type { Primitives } from '@memrelay/envelope/primitives';
import { fromBase64Url, toBase64Url } from '@memrelay/protocol/bytes';
import { bcs } from '@mysten/sui/bcs';
import { SignInFormatError, type SignInRequest, signInFragment } from './sign-in-request.ts';

/**
 * A delegate key on its way from the page to the tool: HPKE-sealed (the suite of the envelope) to the tool's key, with
 * info = "memrelay-sign-in-v1" and the whole request as AAD. So it opens only for that tool, state, challenge and port, and
 * only if the page received the label and relayer from the tool's request.
 *
 * One text carries it both ways, posted to loopback and pasted by hand:
 * "mr1." ‖ base64url(port u16 big-endian ‖ state 32 ‖ enc 32 ‖ ciphertext).
 */
export interface HandOver {
  /** 32 bytes, the seed of the Ed25519 key */
  privateKey: Uint8Array;
  accountId: string;
  /** The account's owner */
  walletAddress: string;
  packageId: string;
  /** The key's permissions, as registered by the page */
  scope: Scope;
}

const info = utf8('memrelay-sign-in-v1');
const prefix = 'mr1.';
const stateStart = 2;
const encStart = 34;
const ciphertextStart = 66;

const handOverBcs = bcs.struct('HandOver', {
  privateKey: bcs.fixedArray(32, bcs.u8()),
  accountId: bcs.Address,
  walletAddress: bcs.Address,
  packageId: bcs.Address,
  scope: scopeBcs,
});

/** Longer than any code: 16 namespace tags have 1,000 characters. */
export const maxCodeLength = 4_096;

export interface HandOverCode {
  port: number;
  state: Uint8Array;
  enc: Uint8Array;
  ciphertext: Uint8Array;
}

/** Throws `RangeError` if the request's key has small order. */
export function sealHandOver(p: Primitives, request: SignInRequest, handOver: HandOver): string {
  const plaintext = handOverBcs.serialize({ ...handOver, privateKey: [...handOver.privateKey] }).toBytes();
  const to = { recipientPk: request.publicKey, info, aad: utf8(signInFragment(request)) };
  const { enc, ciphertext } = hpkeSeal(p, to, plaintext);
  const port = Uint8Array.of(request.port >> 8, request.port & 0xff);
  return prefix + toBase64Url(concatBytes(port, request.state, enc, ciphertext));
}

/**
 * Parses a code. White space in it (e.g. line breaks of a terminal) and text before it are ignored: the page shows the code at
 * the end of a command, which users may paste completely. Throws `SignInFormatError`.
 */
export function parseHandOverCode(text: string): HandOverCode {
  const packed = text.replace(/\s/g, '');
  const compact = packed.slice(Math.max(0, packed.indexOf(prefix)));
  if (!compact.startsWith(prefix) || compact.length > maxCodeLength)
    throw new SignInFormatError(`a sign-in code starts with "${prefix}"`);
  let bytes: Uint8Array;
  try {
    bytes = fromBase64Url(compact.slice(prefix.length));
  } catch {
    throw new SignInFormatError('the code is incomplete; copy all of it');
  }
  if (bytes.length <= ciphertextStart) throw new SignInFormatError('the code is incomplete; copy all of it');
  return {
    port: (bytes[0]! << 8) | bytes[1]!,
    state: bytes.slice(stateStart, encStart),
    enc: bytes.slice(encStart, ciphertextStart),
    ciphertext: bytes.slice(ciphertextStart),
  };
}

/** Opens a hand-over; undefined if it was not sealed for this key and this request. */
export function openHandOver(
  p: Primitives,
  keyPair: X25519KeyPair,
  request: SignInRequest,
  code: HandOverCode,
): HandOver | undefined {
  const plaintext = hpkeOpen(p, { keyPair, info, aad: utf8(signInFragment(request)) }, code);
  if (plaintext === undefined) return undefined;
  try {
    const parsed = handOverBcs.parse(plainView(plaintext));
    // The codec ignores bytes after the last field
    if (!equalBytes(handOverBcs.serialize(parsed).toBytes(), plainView(plaintext))) return undefined;
    // Copied: the codec returns views of the plaintext, which is wiped
    const tags = parsed.scope.tags.map((tag) => Uint8Array.from(tag));
    return {
      ...parsed,
      privateKey: Uint8Array.from(parsed.privateKey),
      scope: { ...parsed.scope, tags },
    };
  } catch {
    return undefined;
  } finally {
    plaintext.fill(0);
  }
}
