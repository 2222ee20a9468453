import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { type EnvelopeKind, envelopeKind } from '@memrelay/envelope/header';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { expect, test } from 'vitest';
import { manualEnvelopeId } from '../src/memories/manual-envelope.ts';

const origin = p.randomBytes(32);
const tag = namespaceTag(p, origin, 'work');
const envelopeId = newEnvelopeId(p);

function envelope(kind: EnvelopeKind = envelopeKind.memory): Buffer {
  const bytes = sealEnvelope(p, {
    kind,
    origin,
    namespace: 'work',
    keyEpoch: 0n,
    envelopeId,
    recipientPk: p.x25519PublicKey(p.randomBytes(32)),
    wraps: [{ type: 9, bytes: new Uint8Array(1) }],
    meta: { created_at: '2026-02-01T12:00:00Z' },
    text: 'text',
    signer: p.randomBytes(32),
  });
  return Buffer.from(bytes);
}

test('a memory of the account and namespace is known by its id, other bytes by none', () => {
  expect(manualEnvelopeId(envelope(), origin, tag)).toEqual(Buffer.from(envelopeId));
  expect(manualEnvelopeId(Buffer.from('anything'), origin, tag)).toBeUndefined();
  expect(manualEnvelopeId(Buffer.alloc(0), origin, tag)).toBeUndefined();
});

test('a writer cannot pass a tombstone or an index off as a memory', () => {
  for (const kind of [envelopeKind.tombstone, envelopeKind.rewrap, envelopeKind.exportIndex]) {
    expect(() => manualEnvelopeId(envelope(kind), origin, tag)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  }
});

test('a damaged envelope, or one of another account or namespace, is refused', () => {
  const refused = expect.objectContaining({ code: 'invalid_request' });
  expect(() => manualEnvelopeId(envelope().subarray(0, -1), origin, tag)).toThrow(refused);
  expect(() => manualEnvelopeId(envelope(), p.randomBytes(32), tag)).toThrow(refused);
  expect(() => manualEnvelopeId(envelope(), origin, namespaceTag(p, origin, 'other'))).toThrow(refused);
});
