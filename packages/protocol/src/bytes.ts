import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** Text forms of bytes, the same in Node and browsers. Every decoder is strict: it throws `RangeError` on any other form. */

/** 32 bytes as 64 lower-case hex digits, without `0x`: the form that the relayer writes. */
export const hex32Pattern = /^[0-9a-f]{64}$/;

/** 32 bytes as 64 hex digits of either case, without `0x`: the form accepted in headers and credential files. */
export const anyCaseHex32Pattern = /^[0-9a-fA-F]{64}$/;

/**
 * Standard base64 with padding, as request bodies carry it. Unlike `fromBase64`, it does not require the unused bits
 * of the last character to be zero.
 */
export const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Lower-case hex, without `0x`. */
export function toHex(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

/** Reads hex of either case, with or without `0x`. Throws `RangeError` on an odd number of digits or any other character. */
export function fromHex(text: string): Uint8Array {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) throw new RangeError('not hex');
  return hexToBytes(digits);
}

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In slices: passing all bytes as arguments of one call overflows the stack near 200 KB.
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Reads standard base64 with padding. Throws `RangeError` unless it is exactly what `toBase64` writes for the bytes. */
export function fromBase64(text: string): Uint8Array {
  const bytes = text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text) ? decoded(text) : undefined;
  if (!bytes || !text.endsWith(toBase64(lastGroup(bytes)))) throw new RangeError('not base64');
  return bytes;
}

/** Number of bytes in a text that matches `base64Pattern`. */
export function base64ByteLength(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** URL-safe base64 without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/[+/=]/g, (character) => ({ '+': '-', '/': '_' })[character] ?? '');
}

/** Reads URL-safe base64 without padding. Throws `RangeError` unless it is exactly what `toBase64Url` writes. */
export function fromBase64Url(text: string): Uint8Array {
  const standard = text.replace(/[-_]/g, (character) => (character === '-' ? '+' : '/'));
  const bytes = /^[A-Za-z0-9_-]*$/.test(text) ? decoded(standard) : undefined;
  if (!bytes || !text.endsWith(toBase64Url(lastGroup(bytes)))) throw new RangeError('not base64url');
  return bytes;
}

/** Undefined for text that `atob` rejects. */
function decoded(base64: string): Uint8Array | undefined {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** The bytes in the last four characters of their base64, whose unused bits a decoder ignores. */
function lastGroup(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(Math.max(0, bytes.length - (bytes.length % 3 || 3)));
}
