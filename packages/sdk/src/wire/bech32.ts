const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/**
 * Bytes in Bech32 (BIP 173), as Sui writes private keys. Written here because a library with all its encodings would be a
 * fourteenth of the client.
 */
export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  const words: number[] = [];
  let [buffer, bits] = [0, 0];
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      words.push((buffer >> bits) & 31);
    }
  }
  if (bits > 0) words.push((buffer << (5 - bits)) & 31);
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  const checked = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...words];
  const sum = checksum([...checked, 0, 0, 0, 0, 0, 0]) ^ 1;
  for (let i = 5; i >= 0; i--) words.push((sum >> (5 * i)) & 31);
  return `${prefix}1${words.map((word) => alphabet[word]).join('')}`;
}

function checksum(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [i, part] of generator.entries()) if ((top >> i) & 1) sum ^= part;
  }
  return sum;
}
