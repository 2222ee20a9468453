import { EncryptedObject } from '@mysten/seal';
import { findServerSet, type ServerSet, type ServerSets } from './server-sets.ts';

/** Maximum size, that of the envelope header, which contains the wrap. For two servers a wrap has 404 bytes. */
const maxWrapBytes = 16_384;
/** The 32-byte private key and the tag of AES-GCM */
const sealedKeyBytes = 48;

/**
 * The server set of a wrap. The wrap must be a strict Seal object of the configured package, for exactly this identity and a
 * configured set (security.md, "Reader, in order"); otherwise throws a `RangeError` with the reason.
 */
export function readWrap(
  wrap: Uint8Array,
  identity: Uint8Array,
  trusted: { packageId: string; sets: ServerSets },
): ServerSet {
  const object = parse(wrap);
  if (object.packageId !== trusted.packageId) throw new RangeError('the wrap is for another package');
  if (object.id !== Buffer.from(identity).toString('hex'))
    throw new RangeError('the wrap is for another identity');
  const { services, threshold, ciphertext, encryptedShares } = object;
  const servers = services.map(([objectId]) => objectId);
  const set = findServerSet(trusted.sets, servers, threshold);
  if (!set) throw new RangeError('the wrap is for key servers that are not configured');
  const shares = encryptedShares.BonehFranklinBLS12381.encryptedShares;
  if (shares.length !== services.length || ciphertext.Aes256Gcm?.blob.length !== sealedKeyBytes) {
    throw new RangeError('the wrap does not hold a key');
  }
  return set;
}

function parse(wrap: Uint8Array): ReturnType<typeof EncryptedObject.parse> {
  try {
    if (wrap.length > maxWrapBytes) throw new RangeError();
    const object = EncryptedObject.parse(new Uint8Array(wrap));
    const reserialized = EncryptedObject.serialize(object).toBytes();
    if (object.version === 0 && Buffer.compare(reserialized, wrap) === 0) return object;
  } catch {
    // falls through: not BCS of an encrypted object, or too large
  }
  throw new RangeError('the wrap is not a Seal object');
}
