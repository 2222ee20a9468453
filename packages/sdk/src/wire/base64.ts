import { MemRelayError } from './errors.ts';

/** Standard base64. Works in slices, because passing all bytes as arguments overflows the stack near 200 KB. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Throws `invalid_response` for text that is not base64: used only for responses of the relayer. */
export function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new MemRelayError('invalid_response', 'The relayer returned bytes that are not base64.', { cause });
  }
}
