import { fromBase64 as decode } from '@memrelay/protocol/bytes';
import { MemRelayError } from './errors.ts';

/** Reads base64 in a response of the relayer. Throws `invalid_response` for other text. */
export function fromBase64(text: string): Uint8Array {
  try {
    return decode(text);
  } catch (cause) {
    throw new MemRelayError('invalid_response', 'The relayer returned bytes that are not base64.', { cause });
  }
}
