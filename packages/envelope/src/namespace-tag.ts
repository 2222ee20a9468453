import { isAllZero, requireLength, utf8 } from './bytes.ts';
import type { Primitives } from './primitives.ts';

const label = utf8('memrelay-namespace-v1\0');
const privateLabel = utf8('memrelay-namespace-private-v1\0');

/**
 * The 16-byte tag of a namespace in one account (security.md, "Tag"), from the exact bytes of its name, without trimming or
 * normalisation. Anyone can test a guessed name; security.md lists this leak. Throws `RangeError` on ill-formed UTF-16.
 */
export function namespaceTag(
  p: Pick<Primitives, 'hmacSha256'>,
  origin: Uint8Array,
  namespace: string,
): Uint8Array {
  return tagUnder(label, p, origin, namespace);
}

/**
 * The tag of a private namespace: under another label, so that its headers cannot be mistaken for those of a namespace that
 * relayers read and write, not even after a restore (security.md, "Private namespaces"). Throws like `namespaceTag`.
 */
export function privateNamespaceTag(
  p: Pick<Primitives, 'hmacSha256'>,
  origin: Uint8Array,
  namespace: string,
): Uint8Array {
  return tagUnder(privateLabel, p, origin, namespace);
}

function tagUnder(
  label: Uint8Array,
  p: Pick<Primitives, 'hmacSha256'>,
  origin: Uint8Array,
  namespace: string,
): Uint8Array {
  requireLength(origin, 32, 'origin');
  const tag = p.hmacSha256(origin, label, utf8(namespace)).slice(0, 16);
  if (isAllZero(tag)) throw new RangeError('this namespace name has the reserved tag; choose another');
  return tag;
}
