import { accountBcs } from '@memrelay/chain/account-bcs';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind } from '@memrelay/envelope/header';
import { sealIdentity } from '@memrelay/envelope/identity';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { type SealInput, sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { toHex } from '@memrelay/protocol/bytes';
import { EncryptedObject } from '@mysten/seal';
import { describe, expect, it } from 'vitest';
import type { KeyServerSet } from '../../src/manual/manual-network.ts';
import { type Opening, openMemories } from '../../src/manual/open-memories.ts';
import type { KeyFailure, KeyUnwrapper, WrappedKey } from '../../src/manual/unwrap-keys.ts';

const address = (byte: string): string => `0x${byte.repeat(32)}`;
const bytesOf = (id: string): Uint8Array => Uint8Array.from(Buffer.from(id.slice(2), 'hex'));
const packageId = address('aa');
const set: KeyServerSet = { servers: [{ objectId: address('b1'), weight: 1 }], threshold: 1 };
const origin = p.randomBytes(32);
const writer = p.randomBytes(32);
const keyEpoch = 7n;
const tag = namespaceTag(p, origin, 'work');

/** A valid Seal object. Its content never reaches a key server in these tests. */
function sealWrap(identity: Uint8Array, server = address('b1')): Wrap {
  const filled = (byte: number, length = 32) => new Uint8Array(length).fill(byte);
  const bytes = EncryptedObject.serialize({
    version: 0,
    packageId,
    id: toHex(identity),
    services: [[server, 1]],
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

const privateKeys = new Map<string, Uint8Array>();

function envelope(text: string, changes: Partial<SealInput> = {}): Uint8Array {
  const privateKey = p.randomBytes(32);
  const recipientPk = p.x25519PublicKey(privateKey);
  privateKeys.set(toHex(recipientPk), privateKey);
  const place = { origin, namespace: 'work', keyEpoch, ...changes };
  const identity = sealIdentity(place.origin, namespaceTag(p, place.origin, place.namespace), place.keyEpoch);
  return sealEnvelope(p, {
    kind: envelopeKind.memory,
    envelopeId: newEnvelopeId(p),
    recipientPk,
    wraps: [sealWrap(identity)],
    meta: { created_at: '2026-02-01T12:00:00Z' },
    text,
    signer: writer,
    ...place,
  });
}

/** Replaces the key servers: releases every key except those that a test withholds. */
function keyServers(failures: ReadonlyMap<string, KeyFailure> = new Map()) {
  const requests: WrappedKey[][] = [];
  const unwrapper: KeyUnwrapper = {
    async unwrap(_state, keys) {
      requests.push([...keys]);
      return keys.map(({ recipientPk }) => {
        const name = toHex(recipientPk);
        return failures.get(name) ?? { ok: true, privateKey: privateKeys.get(name)!.slice() };
      });
    },
    destroy: () => undefined,
  };
  return { requests, unwrapper };
}

function opening(changes: Partial<Opening> = {}): Opening {
  const account = accountBcs.parse(
    accountBcs
      .serialize({
        id: address('ac'),
        origin: `0x${toHex(origin)}`,
        owner: address('01'),
        active: true,
        key_epoch: keyEpoch,
        version: 1n,
        delegate_keys: [],
        scopes: [],
        recovery_pk: new Uint8Array(),
        pending_owner: null,
      })
      .toBytes(),
  );
  return {
    state: { account, origin, objectVersion: 1n, initialSharedVersion: '1' },
    tag,
    trust: new Set([toHex(p.ed25519PublicKey(writer))]),
    sets: [set],
    expected: {
      packageId: bytesOf(packageId),
      serverSets: [{ servers: [{ objectId: bytesOf(address('b1')), weight: 1 }], threshold: 1 }],
    },
    wrapsOf: async () => [],
    ...changes,
  };
}

const recipientOf = (bytes: Uint8Array): string => toHex(bytes.subarray(88, 120));

describe('a fetched envelope', () => {
  it('is opened in order, with each key fetched once and failures isolated', async () => {
    const first = envelope('one');
    const same = envelope('two');
    const denied = envelope('three');
    const unanswered = envelope('four');
    const { requests, unwrapper } = keyServers(
      new Map<string, KeyFailure>([
        [recipientOf(denied), { ok: false, reason: 'denied', message: 'no' }],
        [recipientOf(unanswered), { ok: false, reason: 'unavailable', message: 'silence' }],
      ]),
    );
    const opened = await openMemories(p, unwrapper, [denied, first, first, unanswered, same], opening());
    expect(opened.map((each) => (each.ok ? each.opened.text : each.reason))).toEqual([
      'denied',
      'one',
      'one',
      'keys_unavailable',
      'two',
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toHaveLength(4);
    expect(requests[0]!.every((key) => key.set === set)).toBe(true);
  });

  it.each<[string, () => Uint8Array, string]>([
    ['another account', () => envelope('x', { origin: p.randomBytes(32) }), 'wrong_origin'],
    ['another namespace', () => envelope('x', { namespace: 'home' }), 'wrong_tag'],
    ['an epoch that is not there yet', () => envelope('x', { keyEpoch: 8n }), 'future_epoch'],
    ['a tombstone', () => envelope('x', { kind: envelopeKind.tombstone }), 'not the envelope of a memory'],
    ['no envelope', () => new Uint8Array(200), 'malformed'],
    [
      'other key servers',
      () => envelope('x', { wraps: [sealWrap(sealIdentity(origin, tag, keyEpoch), address('ee'))] }),
      'foreign_wrap',
    ],
  ])('of %s fails without fetching a key', async (_what, bytes, message) => {
    const { requests, unwrapper } = keyServers();
    expect(await openMemories(p, unwrapper, [bytes()], opening())).toEqual([
      { ok: false, reason: 'integrity', message: expect.stringContaining(message) },
    ]);
    expect(requests.flat()).toEqual([]);
  });

  it('is not returned if no trusted key signed it, or if it was modified', async () => {
    const { unwrapper } = keyServers();
    const foreign = envelope('x', { signer: p.randomBytes(32) });
    const changed = envelope('y');
    changed[changed.length - 1]! ^= 1;
    expect(await openMemories(p, unwrapper, [foreign, changed], opening())).toEqual([
      { ok: false, reason: 'integrity', message: expect.stringContaining('untrusted_signer') },
      { ok: false, reason: 'integrity', message: expect.stringContaining('decrypt_failed') },
    ]);
  });

  it('is opened with an additional wrap if its own is for former key servers', async () => {
    const identity = sealIdentity(origin, tag, keyEpoch);
    const bytes = envelope('moved', { wraps: [sealWrap(identity, address('ee'))] });
    const { requests, unwrapper } = keyServers();
    const additional = sealWrap(identity);
    const asking: string[] = [];
    const wrapsOf = async (recipientPk: Uint8Array) => {
      asking.push(toHex(recipientPk));
      return [additional];
    };
    const [opened] = await openMemories(p, unwrapper, [bytes], opening({ wrapsOf }));
    expect(opened).toMatchObject({ ok: true, opened: { text: 'moved' } });
    expect(asking).toEqual([recipientOf(bytes)]);
    expect(requests[0]![0]!.wrap).toEqual(additional.bytes);
  });
});
