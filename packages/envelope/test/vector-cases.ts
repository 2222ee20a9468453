import { toHex } from '@memrelay/protocol/bytes';
import { concatBytes, u64, utf8 } from '../src/bytes.ts';
import { type EnvelopeKind, envelopeKind, parseHeader } from '../src/header.ts';
import { sealIdentity } from '../src/identity.ts';
import { type EnvelopeMeta, encodeMeta } from '../src/meta.ts';
import { namespaceTag } from '../src/namespace-tag.ts';
import { paddedLength } from '../src/padme.ts';
import type { Primitives } from '../src/primitives.ts';
import { sealRecoveryWrap } from '../src/recovery-wrap.ts';
import { type SealInput, sealEnvelope } from '../src/seal-envelope.ts';
import { filled, packageId, sealWrap, serverSet } from './fixtures.ts';
import { contentOf, forge, signedBody } from './forge.ts';

/** The same primitives, with these chunks in order instead of random bytes. */
function scripted(p: Primitives, ...chunks: readonly Uint8Array[]): Primitives {
  const left = [...chunks];
  return {
    ...p,
    x25519Exchange: undefined,
    randomBytes(length) {
      const next = left.shift();
      if (next?.length !== length) throw new Error('the vector does not provide these random bytes');
      return next.slice();
    },
  };
}

/** A fixed 32-byte secret for each name: nothing in the vectors is secret. */
function secret(p: Primitives, name: string): Uint8Array {
  return p.sha256(utf8(`memrelay-vector:${name}`));
}

function uuid(p: Primitives, name: string): Uint8Array {
  const id = secret(p, name).slice(0, 16);
  id[6] = (id[6]! & 0x0f) | 0x40;
  id[8] = (id[8]! & 0x3f) | 0x80;
  return id;
}

interface Case {
  name: string;
  kind: EnvelopeKind;
  namespace: string;
  keyEpoch: bigint;
  meta: Omit<EnvelopeMeta, 'ns'>;
  text: string;
  extraWraps: 'none' | 'recovery' | 'unknown';
}

const created_at = '2026-02-01T12:00:00Z';
const cases: Case[] = [
  {
    name: 'a short memory',
    kind: envelopeKind.memory,
    namespace: 'default',
    keyEpoch: 0n,
    meta: { created_at },
    text: 'The cat likes the blue chair.',
    extraWraps: 'none',
  },
  {
    name: 'every meta field, Unicode, a recovery wrap, the highest epoch',
    kind: envelopeKind.memory,
    namespace: 'Arbeit/日本 🗂',
    keyEpoch: (1n << 64n) - 1n,
    meta: {
      created_at: '2026-02-01T12:00:00.125+05:30',
      occurred_at: '2024-02-29T00:00:00Z',
      importance: 0.75,
      supersedes: ['00112233445566778899aabbccddeeff'],
      by: 'agent é',
    },
    text: `\ufeff${'Zoë 👩‍🚀 '.repeat(90)}`,
    extraWraps: 'recovery',
  },
  {
    name: 'a tombstone with an unknown wrap',
    kind: envelopeKind.tombstone,
    namespace: 'default',
    keyEpoch: 3n,
    meta: { created_at, supersedes: ['ffeeddccbbaa99887766554433221100'] },
    text: '',
    extraWraps: 'unknown',
  },
];

function sealCase(p: Primitives, of: Case) {
  const origin = secret(p, 'origin');
  const recipientSk = secret(p, `recipient of ${of.name}`);
  const recipientPk = p.x25519PublicKey(recipientSk);
  const tag = namespaceTag(p, origin, of.namespace);
  const identity = sealIdentity(origin, tag, of.keyEpoch);
  const wraps = [sealWrap(identity)];
  if (of.extraWraps === 'unknown') wraps.push({ type: 0x7f, bytes: filled(0x5a, 21) });
  if (of.extraWraps === 'recovery') {
    const fixed = scripted(p, secret(p, 'recovery ephemeral'));
    const recoveryPk = p.x25519PublicKey(secret(p, 'recovery'));
    wraps.push(sealRecoveryWrap(fixed, recoveryPk, { identity, recipientPk }, recipientSk));
  }
  const { kind, namespace, keyEpoch, meta, text } = of;
  const signer = secret(p, 'signer');
  const envelopeId = uuid(p, `id of ${of.name}`);
  const input: SealInput = {
    ...{ kind, origin, namespace, keyEpoch, envelopeId, recipientPk, wraps, meta, text, signer },
  };
  const ephemeral = secret(p, `ephemeral of ${of.name}`);
  return { input, recipientSk, ephemeral, bytes: sealEnvelope(scripted(p, ephemeral), input) };
}

function describeCase(p: Primitives, of: Case) {
  const { input, recipientSk, ephemeral, bytes } = sealCase(p, of);
  const header = parseHeader(bytes, bytes.length);
  return {
    name: of.name,
    kind: input.kind,
    origin: toHex(input.origin),
    namespace: input.namespace,
    tag: toHex(header.tag),
    key_epoch: String(input.keyEpoch),
    envelope_id: toHex(input.envelopeId),
    recipient_sk: toHex(recipientSk),
    recipient_pk: toHex(input.recipientPk),
    ephemeral_sk: toHex(ephemeral),
    wraps: input.wraps.map(({ type, bytes: wrapped }) => ({ type, bytes: toHex(wrapped) })),
    meta: input.meta,
    text: input.text,
    signer_seed: toHex(input.signer),
    signer_pk: toHex(p.ed25519PublicKey(input.signer)),
    header_len: header.headerLength,
    body_len: header.bodyLength,
    sha256: toHex(p.sha256(bytes)),
    envelope: toHex(bytes),
  };
}

/** Variants of the first case that a reader must refuse, with the reason. */
function refusedCases(p: Primitives) {
  const first = sealCase(p, cases[0]!);
  const { bytes } = first;
  const patched = (offset: number, ...values: number[]) => {
    const copy = bytes.slice();
    copy.set(values, offset);
    return copy;
  };
  const fixed = () => scripted(p, secret(p, 'forger'));
  const content = contentOf(first);
  const otherNamespace = contentOf(first, { meta: encodeMeta({ ns: 'other', created_at }) });
  const stranger = secret(p, 'stranger');
  const foreign = { ...first, input: { ...first.input, signer: stranger } };
  const resealed = (wraps: SealInput['wraps']) => sealEnvelope(fixed(), { ...first.input, wraps });
  const { identity } = parseHeader(bytes);
  return [
    ['version 2', patched(4, 2), 'unsupported_envelope'],
    ['kind 6', patched(6, 6), 'unsupported_envelope'],
    ['reserved tag key', patched(7, 1), 'unsupported_envelope'],
    ['header_len one more', patched(8, bytes[8]! + 1), 'malformed'],
    ['one byte cut off', bytes.slice(0, -1), 'malformed'],
    ['one byte after', concatBytes(bytes, Uint8Array.of(0)), 'malformed'],
    ['tag all zero', patched(48, ...filled(0, 16)), 'malformed'],
    ['another origin', patched(16, bytes[16]! ^ 1), 'wrong_origin'],
    ['another tag', patched(48, bytes[48]! ^ 1), 'wrong_tag'],
    ['a later epoch', patched(64, ...u64(1n)), 'future_epoch'],
    ['a wrap for another package', resealed([sealWrap(identity, serverSet, filled(1))]), 'foreign_wrap'],
    [
      'a wrap with threshold 1',
      resealed([sealWrap(identity, { ...serverSet, threshold: 1 })]),
      'foreign_wrap',
    ],
    ['another recipient_pk', patched(88, bytes[88]! ^ 1), 'wrong_recipient'],
    ['a changed ciphertext', patched(bytes.length - 1, bytes.at(-1)! ^ 1), 'decrypt_failed'],
    ['padding not zero', signedBody(first, content, (body) => body.set([1], 1_023), fixed()), 'bad_padding'],
    [
      'meta without its required fields',
      signedBody(first, contentOf(first, { meta: utf8('{"x":1}') }), undefined, fixed()),
      'bad_meta',
    ],
    ['another namespace inside', signedBody(first, otherNamespace, undefined, fixed()), 'wrong_tag'],
    [
      'no valid signature',
      signedBody(first, content, (body) => body.set([0], content.length), fixed()),
      'bad_signature',
    ],
    [
      "a stranger's signature",
      signedBody(foreign, contentOf(foreign, { signer: p.ed25519PublicKey(stranger) }), undefined, fixed()),
      'untrusted_signer',
    ],
    [
      'another body size',
      forge(first, () => concatBytes(content, filled(0, 1_088 - content.length)), 1_088, fixed()),
      'bad_padding',
    ],
  ].map(([name, envelope, reason]) => ({ name, reason, envelope: toHex(envelope as Uint8Array) }));
}

/** Everything in `vectors/envelope-v1.json`, recomputed. */
export function buildVectors(p: Primitives) {
  const origin = secret(p, 'origin');
  const recovery = secret(p, 'recovery');
  return {
    format: 'memrelay envelope v1',
    note: 'Integers in key_epoch are decimal strings, bytes are hex. The Seal objects have the right layout for package_id and server_set, and cannot be decrypted; use recipient_sk. ephemeral_sk is the X25519 private key behind enc.',
    package_id: toHex(packageId),
    server_set: {
      servers: serverSet.servers.map(({ objectId, weight }) => ({ object_id: toHex(objectId), weight })),
      threshold: serverSet.threshold,
    },
    namespace_tags: ['default', '', ' default', 'caf\u00e9', 'cafe\u0301', '🗂'].map((namespace) => ({
      origin: toHex(origin),
      namespace,
      tag: toHex(namespaceTag(p, origin, namespace)),
    })),
    padded_lengths: [1, 1_024, 1_025, 1_089, 4_097, 65_537, 1_000_000].map((length) => [
      length,
      paddedLength(length),
    ]),
    recovery: { recovery_sk: toHex(recovery), recovery_pk: toHex(p.x25519PublicKey(recovery)) },
    envelopes: cases.map((of) => describeCase(p, of)),
    refused: refusedCases(p),
  };
}

export type Vectors = ReturnType<typeof buildVectors>;
