import type { Scope } from '@memrelay/chain/account-bcs';
import { permissions } from '@memrelay/chain/account-bcs';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { toHex } from '@memrelay/protocol/bytes';
import { describe, expect, test } from 'vitest';
import { broadDelegates } from '../../src/private/broad-delegates.ts';
import { chooseSecret, isOfEpoch, secretSigners } from '../../src/private/search-secrets.ts';
import {
  accountOf,
  epoch,
  keyOf,
  namespace,
  nowMs,
  opened,
  origin,
  sealedSecret,
  tag,
  writer,
} from './secret-fixtures.ts';

const ana = writer(1);
const bo = writer(2);
const stranger = writer(9);
const signers = (account: ReturnType<typeof accountOf>) => secretSigners(account, tag, epoch, nowMs);
const both = signers(accountOf([[ana], [bo]]));

describe('a search secret', () => {
  test('is sealed as kind 5 under the private tag, and opens to the same keys for every reader', () => {
    const { envelope, searchId } = sealedSecret(ana);
    const header = parseHeader(envelope);
    expect([header.kind, header.keyEpoch]).toEqual([5, epoch]);
    expect(header.tag).toEqual(tag);
    expect(header.tag).not.toEqual(namespaceTag(p, origin, namespace));
    expect(toHex(header.envelopeId)).toBe(searchId);
    const { meta, text } = opened(envelope);
    expect(meta).toMatchObject({ ns: namespace, private: true });
    expect(text).toMatch(/^[0-9a-f]{64}$/);
    const [one, other] = [1, 2].map(() => chooseSecret(p, [opened(envelope)], epoch, both)!);
    expect(one!.searchId).toBe(searchId);
    expect(one!.wordToken('tea')).toEqual(other!.wordToken('tea'));
  });

  test('is random: two of one writer differ in everything that is derived from them', () => {
    const [one, other] = [1, 2].map(
      () => chooseSecret(p, [opened(sealedSecret(ana).envelope)], epoch, both)!,
    );
    expect(one!.searchId).not.toBe(other!.searchId);
    expect(one!.wordToken('tea')).not.toEqual(other!.wordToken('tea'));
  });
});

describe('of several secrets', () => {
  test('all clients choose the newest by its signed time, in whatever order the relayer lists them', () => {
    const older = sealedSecret(ana, { createdAt: '2026-04-01T00:00:00Z' });
    const newer = sealedSecret(bo, { createdAt: '2026-04-01T02:00:00+01:00' });
    const listed = [older, newer].map(({ envelope }) => opened(envelope));
    for (const order of [listed, listed.toReversed()])
      expect(chooseSecret(p, order, epoch, both)!.searchId).toBe(newer.searchId);
  });

  test('of the same time, the one with the highest id', () => {
    const secrets = [1, 2, 3].map(() => sealedSecret(ana));
    const highest = secrets
      .map(({ searchId }) => searchId)
      .sort()
      .at(-1);
    const listed = secrets.map(({ envelope }) => opened(envelope));
    expect(chooseSecret(p, listed, epoch, both)!.searchId).toBe(highest);
    expect(chooseSecret(p, listed.toReversed(), epoch, both)!.searchId).toBe(highest);
  });

  test('one of an earlier epoch is never used, however new', () => {
    const earlier = sealedSecret(ana, { keyEpoch: epoch - 1n, createdAt: '2027-01-01T00:00:00Z' });
    const current = sealedSecret(ana);
    expect(isOfEpoch(earlier.envelope, epoch)).toBe(false);
    expect(isOfEpoch(current.envelope, epoch)).toBe(true);
    expect(isOfEpoch(new Uint8Array(200), epoch)).toBe(false);
    expect(chooseSecret(p, [opened(earlier.envelope)], epoch, both)).toBeUndefined();
    const listed = [earlier, current].map(({ envelope }) => opened(envelope));
    expect(chooseSecret(p, listed, epoch, both)!.searchId).toBe(current.searchId);
  });

  test('none signed by a relayer, or by anyone who is not a delegate, is used', () => {
    const planted = sealedSecret(stranger, { createdAt: '2027-01-01T00:00:00Z' });
    expect(chooseSecret(p, [opened(planted.envelope)], epoch, both)).toBeUndefined();
    const own = sealedSecret(ana);
    const listed = [planted, own].map(({ envelope }) => opened(envelope));
    expect(chooseSecret(p, listed, epoch, both)!.searchId).toBe(own.searchId);
  });

  test('none of another kind, or with another content, is used', () => {
    const sealed = (kind: 1 | 5, text: string) =>
      sealEnvelope(p, {
        kind,
        origin,
        namespace,
        ...keyOf(),
        envelopeId: newEnvelopeId(p),
        meta: { created_at: '2026-04-01T00:00:00Z', private: true },
        text,
        signer: ana.seed,
      });
    const secret = 'ab'.repeat(32);
    const choose = (envelope: Uint8Array) => chooseSecret(p, [opened(envelope)], epoch, both);
    expect(choose(sealed(envelopeKind.memory, secret))).toBeUndefined();
    for (const text of [secret.toUpperCase(), secret.slice(2), `${secret} `, 'tea'])
      expect(choose(sealed(envelopeKind.searchSecret, text))).toBeUndefined();
    expect(choose(sealed(envelopeKind.searchSecret, secret))).toBeDefined();
  });
});

describe('secrets of a delegate', () => {
  const expired = BigInt(nowMs);
  test.each<[string, Partial<Scope>, boolean]>([
    ['with all rights in all namespaces', {}, true],
    ['that may read and write only here', { all_namespaces: false, tags: [tag], perms: 3 }, true],
    ['that may only read', { perms: permissions.read }, false],
    ['that may only write', { perms: permissions.write }, false],
    ['of another namespace', { all_namespaces: false, tags: [new Uint8Array(16).fill(1)] }, false],
    [
      'of the relayer-mode namespace of the same name',
      { all_namespaces: false, tags: [namespaceTag(p, origin, namespace)] },
      false,
    ],
    ['that has expired', { expires_at_ms: expired }, false],
    ['that expires later', { expires_at_ms: expired + 1n }, true],
    ['that may read later epochs only', { min_epoch: epoch + 1n }, false],
  ])('%s', (_, scope, counts) => {
    expect(signers(accountOf([[ana, scope]])).has(toHex(ana.publicKey))).toBe(counts);
  });

  test('that was removed do not count', () => {
    expect(signers(accountOf([[bo]])).has(toHex(ana.publicKey))).toBe(false);
  });
});

test('warns about other keys that may read all namespaces', () => {
  const account = accountOf([
    [ana],
    [bo],
    [writer(3), { all_namespaces: false, tags: [tag] }],
    [writer(4), { perms: permissions.write }],
    [writer(5), { expires_at_ms: 1n }],
  ]);
  const warnings = broadDelegates(account, toHex(ana.publicKey), nowMs);
  expect(warnings.map(({ publicKey }) => publicKey)).toEqual([toHex(bo.publicKey)]);
  expect(warnings[0]!.message).toContain('delegate 1');
});
