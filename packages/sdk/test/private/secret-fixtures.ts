import type { Account, Scope } from '@memrelay/chain/account-bcs';
import { fullScope } from '@memrelay/chain/account-bcs';
import type { WrapExpectation } from '@memrelay/envelope/check-wrap';
import { sealIdentity } from '@memrelay/envelope/identity';
import { privateNamespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { checkHeader, type OpenedEnvelope, openBody } from '@memrelay/envelope/open-envelope';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { toHex } from '@memrelay/protocol/bytes';
import { EncryptedObject } from '@mysten/seal';
import type { SealingKey } from '../../src/manual/namespace-keys.ts';
import { newSealedSecret, type SealedSecret } from '../../src/private/search-secrets.ts';

export const origin = new Uint8Array(32).fill(0x0a);
export const namespace = 'diary';
export const tag = privateNamespaceTag(p, origin, namespace);
export const epoch = 7n;
export const nowMs = Date.parse('2026-05-01T00:00:00Z');

/** A delegate: its private key and public key. */
export interface Writer {
  seed: Uint8Array;
  publicKey: Uint8Array;
}

export function writer(byte: number): Writer {
  const seed = new Uint8Array(32).fill(byte);
  return { seed, publicKey: p.ed25519PublicKey(seed) };
}

/** An account with these delegates, each with all rights but for the changes. */
export function accountOf(
  delegates: readonly (readonly [Writer, Partial<Scope>?])[],
): Pick<Account, 'delegate_keys' | 'scopes' | 'key_epoch'> {
  const addressOf = (i: number): string => `0x${String(i).padStart(64, '0')}`;
  return {
    key_epoch: epoch,
    delegate_keys: delegates.map(([{ publicKey }], i) => ({
      public_key: publicKey,
      address: addressOf(i),
      label: `delegate ${i}`,
      created_at: 0n,
      proven: true,
    })),
    scopes: delegates.map(([, changes], i) => ({ key: addressOf(i), value: { ...fullScope, ...changes } })),
  };
}

const privateKey = new Uint8Array(32).fill(0x33);
export const privateKeyOf = (): Uint8Array => privateKey.slice();

const filled = (byte: number, length = 32) => new Uint8Array(length).fill(byte);
const address = (byte: number): string => `0x${toHex(filled(byte))}`;

/** What all wraps here are made for. */
export const expectedWraps: WrapExpectation = {
  packageId: filled(0xaa),
  serverSets: [{ servers: [{ objectId: filled(0xb1), weight: 1 }], threshold: 1 }],
};

/** A valid Seal object. Its content never reaches a key server in these tests. */
function sealWrap(identity: Uint8Array): Wrap {
  const bytes = EncryptedObject.serialize({
    version: 0,
    packageId: address(0xaa),
    id: toHex(identity),
    services: [[address(0xb1), 1]],
    threshold: 1,
    encryptedShares: {
      BonehFranklinBLS12381: {
        nonce: filled(1, 96),
        encryptedShares: [filled(2)],
        encryptedRandomness: filled(3),
      },
    },
    ciphertext: { Aes256Gcm: { blob: filled(4, 48), aad: filled(0, 0) } },
  }).toBytes();
  return { type: wrapType.seal, bytes };
}

export function keyOf(keyEpoch = epoch): SealingKey {
  const wraps = [sealWrap(sealIdentity(origin, tag, keyEpoch))];
  return { keyEpoch, recipientPk: p.x25519PublicKey(privateKey), wraps };
}

export function sealedSecret(
  { seed }: Writer,
  changes: { createdAt?: string; keyEpoch?: bigint; namespace?: string } = {},
): SealedSecret {
  return newSealedSecret(p, {
    origin,
    namespace: changes.namespace ?? namespace,
    key: keyOf(changes.keyEpoch),
    createdAt: changes.createdAt ?? '2026-04-01T00:00:00Z',
    signer: seed,
  });
}

/** Opens an envelope with any signer, as a test of what `chooseSecret` itself checks. */
export function opened(envelope: Uint8Array, of = tag): OpenedEnvelope {
  const checked = checkHeader(envelope, { origin, tag: of, maxEpoch: 1_000n });
  return openBody(p, checked, privateKey, () => true);
}
