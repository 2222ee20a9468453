import { toHex } from '@memrelay/protocol/bytes';

/** A UUID v4. `crypto.randomUUID` is missing on pages that are not served over https or from localhost. */
export function uuidV4(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return [8, 12, 16, 20].reduceRight((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, toHex(bytes));
}
