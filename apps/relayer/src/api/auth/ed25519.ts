import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** p = 2^255 − 19, little-endian, and the group order L. */
const fieldPrime = littleEndian((1n << 255n) - 19n);
const groupOrder = littleEndian((1n << 252n) + 27742317777372353535851937790883648493n);

/** y of the points of small order whose encoding is canonical: 0, 1, p − 1 and the two of order 8. */
const smallOrder: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Keys that have verified something; building one costs a quarter of a verification. */
const keys = new LRUCache<string, KeyObject>({ max: 10_000 });

/** Whether a signature fits the verification equation; how strict it is otherwise differs between OpenSSL versions. */
export type EquationCheck = (message: Uint8Array, key: KeyObject, signature: Uint8Array) => boolean;

/**
 * Strict Ed25519: the equation must hold, S must be below the group order, and neither the key nor R may be of small
 * order or encoded other than canonically. The last rules are checked here because OpenSSL does not promise them, so
 * every Node version gives the same answer. `publicKey` and `signature` are hex of the right length, in any case.
 */
export function verifyStrict(
  publicKey: string,
  signature: string,
  message: Uint8Array,
  holds: EquationCheck = (...signed) => verify(null, ...signed),
): boolean {
  const name = publicKey.toLowerCase();
  const signatureBytes = Buffer.from(signature, 'hex');
  if (!isPlainPoint(signatureBytes.subarray(0, 32))) return false;
  if (!isBelow(signatureBytes.subarray(32), groupOrder)) return false;
  let key = keys.get(name);
  if (!key) {
    const bytes = Buffer.from(name, 'hex');
    if (!isPlainPoint(bytes)) return false;
    key = createPublicKey({ key: Buffer.concat([spkiPrefix, bytes]), format: 'der', type: 'spki' });
  }
  const valid = holds(message, key, signatureBytes);
  if (valid) keys.set(name, key);
  return valid;
}

/** True unless the encoding is one that strict verification refuses. It need not be a point of the curve. */
function isPlainPoint(encoded: Buffer): boolean {
  const y = Buffer.from(encoded);
  y[31]! &= 0x7f;
  return isBelow(y, fieldPrime) && !smallOrder.has(y.toString('hex'));
}

function isBelow(value: Buffer, bound: Buffer): boolean {
  for (let i = 31; i >= 0; i--) if (value[i] !== bound[i]) return value[i]! < bound[i]!;
  return false;
}

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}
