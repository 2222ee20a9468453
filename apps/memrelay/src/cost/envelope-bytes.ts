import { encodeContent, plaintextLength } from '@memrelay/envelope/body';
import { gcmTagLength } from '@memrelay/envelope/header';

/** Header of an envelope for two key servers, without a recovery key (`packages/envelope/vectors`). */
const headerBytes = 560;

/** Size in bytes of the envelope of a text of this many UTF-8 bytes, in the namespace `default`. */
export function envelopeBytes(textBytes: number): number {
  const meta = { ns: 'default', created_at: '2026-01-01T00:00:00.000Z' };
  const content = encodeContent(meta, '', new Uint8Array(32)).length + textBytes;
  return headerBytes + plaintextLength(content) + gcmTagLength;
}
