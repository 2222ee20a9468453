import { equalBytes } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';
import type { EnvelopeHeader } from './header.ts';
import { parseSealObject, type SealObject } from './seal-object.ts';
import { isMadeFor, type KeyServerSet } from './server-set.ts';
import { wrapType } from './wraps.ts';

export interface WrapExpectation {
  /** The configured original (first) package id, 32 bytes */
  packageId: Uint8Array;
  /** The current set and the historical ones */
  serverSets: readonly KeyServerSet[];
}

type WrappedHeader = Pick<EnvelopeHeader, 'identity' | 'wraps'>;

export interface CheckedWrap {
  /** The `EncryptedObject` that the key servers have to unwrap */
  bytes: Uint8Array;
  object: SealObject;
  serverSet: KeyServerSet;
}

/** Returns the set that the object is made for, or the problem with the object as text. */
function setOf(object: SealObject, header: WrappedHeader, expected: WrapExpectation): KeyServerSet | string {
  if (!equalBytes(object.packageId, expected.packageId)) return 'wrapped for another package';
  if (!equalBytes(object.id, header.identity)) return 'wrapped for another identity';
  return (
    expected.serverSets.find((set) => isMadeFor(object, set)) ?? 'wrapped for other key servers or threshold'
  );
}

/**
 * Step 2, before any request to a key server: returns the first Seal wrap for the configured package, exactly this envelope's
 * identity and one configured key-server set. Further Seal wraps (such as one for an older set) are allowed, because the
 * unwrapped key is compared with `recipient_pk`. Throws `EnvelopeError` `malformed` if a Seal wrap is not a strict
 * `EncryptedObject`, `foreign_wrap` if none matches.
 */
export function checkWrap({ header }: { header: WrappedHeader }, expected: WrapExpectation): CheckedWrap {
  const objects = header.wraps
    .filter((wrap) => wrap.type === wrapType.seal)
    .map(({ bytes }) => ({ bytes, object: parseSealObject(bytes) }));
  let complaint = 'no Seal wrap';
  for (const { bytes, object } of objects) {
    const serverSet = setOf(object, header, expected);
    if (typeof serverSet !== 'string') return { bytes, object, serverSet };
    complaint = serverSet;
  }
  throw new EnvelopeError('foreign_wrap', complaint);
}
