import { concatBytes, equalBytes, plainView, readU64 } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';
import { type EnvelopeHeader, envelopeKind, parseHeader } from './header.ts';
import { identityLength } from './identity.ts';
import { parseSealObject, type SealObject } from './seal-object.ts';
import { wrapType } from './wraps.ts';

/** The account and namespace whose readers should be able to decrypt the bytes. */
export interface Readers {
  /** `account.origin`, 32 bytes */
  origin: Uint8Array;
  /** Tag of the namespace that the bytes are stored in, 16 bytes */
  tag: Uint8Array;
  /** `account.key_epoch` */
  maxEpoch: bigint;
  /** The original (first) package id, 32 bytes */
  packageId: Uint8Array;
  /** Whether the key servers of a wrap are known. If omitted, all are accepted */
  hasServers?: (wrap: SealObject, header: EnvelopeHeader) => boolean;
}

/** Bytes that a client encrypted: a memory's envelope, or a bare Seal `EncryptedObject`. */
export interface SealedBytes {
  /** Absent for a Seal object */
  header?: EnvelopeHeader;
  /** The object, or the Seal wraps of the envelope */
  objects: readonly SealObject[];
  /** The account, namespace and epoch that they claim to be sealed for */
  identity: Uint8Array;
}

/**
 * Parses bytes that a client encrypted. Returns undefined unless they are exactly one memory's envelope or one Seal object.
 * `parsed` is their header, if the caller has already parsed it.
 */
export function readSealedBytes(bytes: Uint8Array, parsed?: EnvelopeHeader): SealedBytes | undefined {
  try {
    const isEnvelope = bytes.length >= 4 && [0x4d, 0x52, 0x45, 0x31].every((byte, i) => bytes[i] === byte);
    if (!isEnvelope) {
      const object = parseSealObject(plainView(bytes));
      return { objects: [object], identity: object.id.slice() };
    }
    const header = parsed ?? parseHeader(bytes, bytes.length);
    if (header.kind !== envelopeKind.memory) return undefined;
    const wraps = header.wraps.filter(({ type }) => type === wrapType.seal);
    return { header, objects: wraps.map((wrap) => parseSealObject(wrap.bytes)), identity: header.identity };
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}

/**
 * Why the account's readers cannot decrypt bytes that a client stored, or `undefined` if they can: for a memory envelope
 * that passes every check before the key servers are involved, or a Seal object whose identity the account's policy
 * approves. This does not prove that the bytes decrypt: that requires the keys.
 */
export function whyOpaque(sealed: SealedBytes | undefined, readers: Readers): string | undefined {
  if (!sealed) return 'neither a memory envelope nor a Seal object';
  const { header, objects, identity } = sealed;
  const { origin, tag, maxEpoch, packageId, hasServers } = readers;
  const isHere =
    identity.length === identityLength && equalBytes(identity.subarray(0, 48), concatBytes(origin, tag));
  if (!isHere) return 'sealed for another account or namespace';
  if (readU64(identity, 48) > maxEpoch) return 'sealed for a future key epoch';
  const isWrapped = objects.some(
    (object) =>
      equalBytes(object.packageId, packageId) &&
      equalBytes(object.id, identity) &&
      (!header || !hasServers || hasServers(object, header)),
  );
  return isWrapped ? undefined : 'sealed for another package or key servers';
}
