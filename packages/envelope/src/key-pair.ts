import { requireLength } from './bytes.ts';
import type { X25519KeyPair } from './hpke.ts';
import { sealIdentity } from './identity.ts';
import type { Primitives } from './primitives.ts';

/** The scope of a key pair, which is the unique key of `namespace_keys`. */
export interface KeyPairScope {
  /** Account object id, 32 bytes */
  account: Uint8Array;
  /** The account's creating address, 32 bytes */
  origin: Uint8Array;
  tag: Uint8Array;
  keyEpoch: bigint;
  /** See `serverSetId` */
  serverSet: string;
}

export interface NamespaceKeyPair extends X25519KeyPair {
  scope: KeyPairScope;
  /** The Seal id under which the private key has to be wrapped */
  identity: Uint8Array;
}

/**
 * A new random pair. Wrap `privateKey`, then overwrite it (`fill(0)`), so that the stored key can only write. Throws
 * `RangeError` on a scope with wrong sizes.
 */
export function newNamespaceKeyPair(p: Primitives, scope: KeyPairScope): NamespaceKeyPair {
  requireLength(scope.account, 32, 'account');
  const identity = sealIdentity(scope.origin, scope.tag, scope.keyEpoch);
  const privateKey = p.randomBytes(32);
  return { scope, identity, privateKey, publicKey: p.x25519PublicKey(privateKey) };
}
