import { concatBytes, u64 } from '@memrelay/envelope/bytes';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { type EnvelopeKind, envelopeKind } from '@memrelay/envelope/header';
import { sealIdentity } from '@memrelay/envelope/identity';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import type { Readers } from '@memrelay/envelope/opaque-bytes';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { describe, expect, test } from 'vitest';
import { judgeManualBytes, readManualBytes } from '../../src/memories/remember/manual-envelope.ts';

const origin = p.randomBytes(32);
const tag = namespaceTag(p, origin, 'work');
const packageId = p.randomBytes(32);
const envelopeId = newEnvelopeId(p);
const server = p.randomBytes(32);
const readers: Readers = {
  origin,
  tag,
  maxEpoch: 3n,
  packageId,
  hasServers: ({ services }) => services.every(({ objectId }) => Buffer.from(objectId).equals(server)),
};

/** The BCS of an `EncryptedObject` for one key server. */
function sealObject(identity: Uint8Array, { pkg = packageId, services = server } = {}): Uint8Array {
  return concatBytes(
    Uint8Array.of(0),
    pkg,
    Uint8Array.of(identity.length),
    identity,
    Uint8Array.of(1),
    services,
    Uint8Array.of(1, 1, 0),
    p.randomBytes(96),
    Uint8Array.of(1),
    p.randomBytes(32),
    p.randomBytes(32),
    Uint8Array.of(0, 48),
    p.randomBytes(48),
    Uint8Array.of(0),
  );
}

interface Sealed {
  kind?: EnvelopeKind;
  account?: Uint8Array;
  namespace?: string;
  epoch?: bigint;
  wrapped?: (identity: Uint8Array) => Uint8Array;
}

function envelope({
  kind = envelopeKind.memory,
  account = origin,
  namespace = 'work',
  epoch = 3n,
  wrapped = sealObject,
}: Sealed = {}): Buffer {
  const identity = sealIdentity(account, namespaceTag(p, account, namespace), epoch);
  const bytes = sealEnvelope(p, {
    kind,
    origin: account,
    namespace,
    keyEpoch: epoch,
    envelopeId,
    recipientPk: p.x25519PublicKey(p.randomBytes(32)),
    wraps: [{ type: 1, bytes: wrapped(identity) }],
    meta: { created_at: '2026-02-01T12:00:00Z' },
    text: 'text',
    signer: p.randomBytes(32),
  });
  return Buffer.from(bytes);
}

const known = Buffer.from(envelopeId);
const here = sealIdentity(origin, tag, 3n);

describe('bytes that the readers of the account can decrypt', () => {
  test.each<[string, Uint8Array, Buffer | undefined]>([
    ['an envelope', envelope(), known],
    ['an envelope of an earlier key epoch', envelope({ epoch: 0n }), known],
    ['a Seal object of our policy', sealObject(here), undefined],
    ['a Seal object for other key servers', sealObject(here, { services: p.randomBytes(32) }), undefined],
  ])('%s', (_name, bytes, id) => {
    expect(judgeManualBytes(readManualBytes(Buffer.from(bytes)), readers)).toEqual({
      envelopeId: id,
      opaque: false,
    });
  });
});

describe('opaque bytes', () => {
  const stranger = p.randomBytes(32);
  test.each<[string, Uint8Array, Buffer?]>([
    ['anything', Buffer.from('anything')],
    ['one byte', Buffer.alloc(1)],
    ['the magic bytes alone', Buffer.from('MRE1')],
    ['an envelope that is cut off', envelope().subarray(0, -1)],
    ['an envelope with a byte behind it', Buffer.concat([envelope(), Buffer.alloc(1)])],
    ['an envelope of another version', Buffer.from(envelope()).fill(2, 4, 5)],
    ['an envelope of another account', envelope({ account: stranger })],
    ['a tombstone of another account', envelope({ account: stranger, kind: envelopeKind.tombstone })],
    ['an envelope of another namespace', envelope({ namespace: 'other' })],
    ['an envelope of a key epoch to come', envelope({ epoch: 4n }), known],
    [
      'an envelope for another package',
      envelope({ wrapped: (id) => sealObject(id, { pkg: stranger }) }),
      known,
    ],
    [
      'an envelope for other key servers',
      envelope({ wrapped: (id) => sealObject(id, { services: stranger }) }),
      known,
    ],
    [
      'an envelope with a key of another identity',
      envelope({ wrapped: () => sealObject(concatBytes(here.slice(0, 48), u64(2n))) }),
      known,
    ],
    ['an envelope with a wrap that is none', envelope({ wrapped: () => p.randomBytes(64) }), known],
    ['a Seal object of another package', sealObject(here, { pkg: stranger })],
    ['a Seal object of another account', sealObject(sealIdentity(stranger, tag, 3n))],
    [
      'a Seal object of another namespace',
      sealObject(sealIdentity(origin, namespaceTag(p, origin, 'other'), 3n)),
    ],
    ['a Seal object of a key epoch to come', sealObject(sealIdentity(origin, tag, 4n))],
    ['a Seal object whose identity is too long', sealObject(concatBytes(here, Uint8Array.of(0)))],
    ['a Seal object whose identity is too short', sealObject(here.slice(0, -1))],
    ['a Seal object with a byte behind it', concatBytes(sealObject(here), Uint8Array.of(0))],
  ])('%s', (_name, bytes, id) => {
    expect(judgeManualBytes(readManualBytes(Buffer.from(bytes)), readers)).toEqual({
      envelopeId: id,
      opaque: true,
    });
  });
});

test('does not accept a tombstone or an index as a memory', () => {
  for (const kind of [envelopeKind.tombstone, envelopeKind.rewrap, envelopeKind.exportIndex])
    for (const namespace of ['work', 'other'])
      expect(() => judgeManualBytes(readManualBytes(envelope({ kind, namespace })), readers)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          message: 'encrypted_data: is not the envelope of a memory',
        }),
      );
});
