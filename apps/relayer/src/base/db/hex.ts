/** Bytes of a hex text, with or without `0x`. The text must have been checked before. */
export function hexToBytes(hex: string): Buffer {
  return Buffer.from(hex.startsWith('0x') ? hex.slice(2) : hex, 'hex');
}

/** An address or object id in its wire form. */
export function bytesToAddress(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`;
}
