import { concatBytes } from '../src/bytes.ts';
import type { WrapExpectation } from '../src/check-wrap.ts';
import { EnvelopeError, type EnvelopeRefusal } from '../src/envelope-error.ts';
import { newEnvelopeId } from '../src/envelope-id.ts';
import { envelopeKind } from '../src/header.ts';
import { sealIdentity } from '../src/identity.ts';
import { namespaceTag, privateNamespaceTag } from '../src/namespace-tag.ts';
import { nodePrimitives } from '../src/node-primitives.ts';
import type { HeaderExpectation, Trust } from '../src/open-envelope.ts';
import type { Primitives } from '../src/primitives.ts';
import { type SealInput, sealEnvelope } from '../src/seal-envelope.ts';
import type { KeyServerSet } from '../src/server-set.ts';
import { type Wrap, wrapType } from '../src/wraps.ts';

export const p = nodePrimitives;

export function filled(byte: number, length = 32): Uint8Array {
  return new Uint8Array(length).fill(byte);
}

export const packageId = filled(0xaa);
export const serverSet: KeyServerSet = {
  servers: [
    { objectId: filled(0xb1), weight: 1 },
    { objectId: filled(0xb2), weight: 1 },
  ],
  threshold: 2,
};
export const wrapExpectation: WrapExpectation = { packageId, serverSets: [serverSet] };

/**
 * Bytes with the exact layout of a Seal `EncryptedObject` (AES-256-GCM of 32 bytes), written by hand from the BCS
 * definition; the cryptographic parts are fillers, because no key server is involved here.
 */
export function sealObjectBytes(
  identity: Uint8Array,
  set: KeyServerSet = serverSet,
  objectPackage = packageId,
): Uint8Array {
  const ids = set.servers.flatMap(({ objectId, weight }) => Array.from({ length: weight }, () => objectId));
  return concatBytes(
    Uint8Array.of(0),
    objectPackage,
    Uint8Array.of(identity.length),
    identity,
    Uint8Array.of(ids.length),
    ...ids.flatMap((id, index) => [id, Uint8Array.of(index + 1)]),
    Uint8Array.of(set.threshold, 0),
    filled(0x01, 96),
    Uint8Array.of(ids.length),
    ...ids.map(() => filled(0x02)),
    filled(0x03),
    Uint8Array.of(0, 48),
    filled(0x04, 48),
    // Seal's client writes an empty AAD as a present option
    Uint8Array.of(1, 0),
  );
}

export function sealWrap(identity: Uint8Array, set?: KeyServerSet, objectPackage?: Uint8Array): Wrap {
  return { type: wrapType.seal, bytes: sealObjectBytes(identity, set, objectPackage) };
}

export interface Sealed {
  bytes: Uint8Array;
  input: SealInput;
  privateKey: Uint8Array;
  expectation: HeaderExpectation;
  trust: Trust;
}

/** A valid envelope of a random account, writer and pair, with `changes` applied before sealing. */
export function seal(changes: Partial<SealInput> = {}, primitives: Primitives = p): Sealed {
  const privateKey = primitives.randomBytes(32);
  const origin = changes.origin ?? primitives.randomBytes(32);
  const namespace = changes.namespace ?? 'work';
  const keyEpoch = changes.keyEpoch ?? 7n;
  const tagOf = changes.meta?.private ? privateNamespaceTag : namespaceTag;
  const tag = tagOf(primitives, origin, namespace);
  const signer = changes.signer ?? primitives.randomBytes(32);
  const input: SealInput = {
    kind: envelopeKind.memory,
    origin,
    namespace,
    keyEpoch,
    envelopeId: newEnvelopeId(primitives),
    recipientPk: primitives.x25519PublicKey(privateKey),
    wraps: [sealWrap(sealIdentity(origin, tag, keyEpoch))],
    meta: { created_at: '2026-02-01T12:00:00Z' },
    text: 'The cat likes the blue chair.',
    signer,
    ...changes,
  };
  const signerPk = primitives.ed25519PublicKey(signer);
  return {
    bytes: sealEnvelope(primitives, input),
    input,
    privateKey,
    expectation: { origin, tag, maxEpoch: keyEpoch },
    trust: (key) => key.every((byte, i) => byte === signerPk[i]),
  };
}

/** The reason for which `act` is rejected. Anything but an `EnvelopeError` fails the test. */
export function refusal(act: () => unknown): EnvelopeRefusal | 'accepted' {
  try {
    act();
    return 'accepted';
  } catch (error) {
    if (error instanceof EnvelopeError) return error.reason;
    throw error;
  }
}
