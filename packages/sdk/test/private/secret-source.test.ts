import { fullScope, permissions } from '@memrelay/chain/account-bcs';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { fromBase64, toBase64, toHex } from '@memrelay/protocol/bytes';
import { describe, expect, test } from 'vitest';
import { createManualBase } from '../../src/manual/manual-base.ts';
import type { ManualParts } from '../../src/manual/manual-parts.ts';
import type { UnwrappedKey } from '../../src/manual/unwrap-keys.ts';
import { createSecretSource, type PrivatePlace } from '../../src/private/secret-source.ts';
import { accountId, packageId } from '../wire-double.ts';
import {
  accountOf,
  epoch,
  expectedWraps,
  keyOf,
  namespace,
  origin,
  privateKeyOf,
  sealedSecret,
  tag,
  writer,
} from './secret-fixtures.ts';

const ana = writer(1);
const bo = writer(2);

/** A relayer that keeps search secrets, and key servers that answer with `keys`. */
function world(
  perms = fullScope.perms,
  keys: () => UnwrappedKey = () => ({ ok: true, privateKey: privateKeyOf() }),
) {
  const secrets: string[] = [];
  const calls: { path: string; headers: Headers; body: string }[] = [];
  const relay: typeof fetch = async (input, init) => {
    const path = new URL(String(input)).pathname;
    const body = new TextDecoder().decode(init!.body as Uint8Array<ArrayBuffer>);
    calls.push({ path, headers: new Headers(init!.headers), body });
    if (path.endsWith('/list'))
      return answer({
        secrets: secrets.map((envelope) => ({ search_id: 'ignored', key_epoch: 0, envelope })).toReversed(),
      });
    secrets.push((JSON.parse(body) as { envelope: string }).envelope);
    return answer({ search_id: 'ignored' });
  };
  let nowMs = 0;
  let keyEpoch = epoch;
  const options = {
    key: ana.seed,
    accountId,
    packageId,
    serverUrl: 'http://127.0.0.1:1',
    primitives: p,
    fetch: relay,
  };
  const base = createManualBase({ ...options, maxAttempts: 1 });
  const source = createSecretSource(base, () => nowMs);
  const place = (): PrivatePlace => ({
    parts: {
      keys: { keyFor: async () => keyOf(keyEpoch) },
      unwrapper: { unwrap: async (_: unknown, wrapped: readonly unknown[]) => wrapped.map(keys) },
      network: { readable: [{ servers: [], threshold: 1 }] },
      expected: expectedWraps,
    } as unknown as ManualParts,
    state: {
      account: { ...accountOf([[ana, { perms }], [bo]]), key_epoch: keyEpoch },
      origin,
    } as unknown as PrivatePlace['state'],
    namespace,
    tag,
  });
  return {
    secrets,
    calls,
    source,
    keys: () => source.keysFor(place(), undefined),
    later: (ms: number) => (nowMs += ms),
    rotate: () => (keyEpoch += 1n),
    uploads: () => calls.filter(({ path }) => path === '/api/search-secrets').length,
  };
}

const answer = (value: unknown): Response =>
  new Response(JSON.stringify(value), {
    headers: { 'content-type': 'application/json', 'x-account-id': accountId },
  });

describe('the search secret of a client', () => {
  test('is made once, uploaded sealed, and the same for calls that overlap and for another client', async () => {
    const { keys, uploads, secrets, calls } = world();
    const [one, other] = await Promise.all([keys(), keys()]);
    expect(one).toBe(other);
    expect(await keys()).toBe(one);
    expect(uploads()).toBe(1);
    const sealed = toHex(fromBase64(secrets[0]!));
    expect(sealed).toContain(one.searchId);
    const second = world();
    second.secrets.push(...secrets);
    expect((await second.keys()).wordToken('tea')).toEqual(one.wordToken('tea'));
    expect(second.uploads()).toBe(0);
    for (const { headers } of calls)
      for (const name of ['x-enc-session', 'x-delegate-key', 'authorization'])
        expect(headers.has(name)).toBe(false);
  });

  test('is that of another reader if it is newer, after a minute', async () => {
    const { keys, secrets, later, uploads } = world();
    const own = await keys();
    const newer = sealedSecret(bo, { createdAt: '2999-01-01T00:00:00Z' });
    secrets.push(toBase64(newer.envelope));
    expect(await keys()).toBe(own);
    later(60_000);
    expect((await keys()).searchId).toBe(newer.searchId);
    expect(uploads()).toBe(1);
    // Calls in progress may still use the previous keys
    expect(own.wordToken('tea')).toHaveLength(16);
  });

  test('is replaced as soon as the key epoch rises', async () => {
    const { keys, rotate, uploads } = world();
    const before = await keys();
    rotate();
    const after = await keys();
    expect([before.keyEpoch, after.keyEpoch]).toEqual([epoch, epoch + 1n]);
    expect(after.wordToken('tea')).not.toEqual(before.wordToken('tea'));
    expect(uploads()).toBe(2);
  });

  test('is not one that the relayer planted', async () => {
    const { keys, secrets, uploads } = world();
    const planted = sealedSecret(writer(9), { createdAt: '2999-01-01T00:00:00Z' });
    secrets.push(toBase64(planted.envelope), 'AAAA');
    expect((await keys()).searchId).not.toBe(planted.searchId);
    expect(uploads()).toBe(1);
  });

  test('cannot be made by a key that may only read', async () => {
    const { keys, uploads } = world(permissions.read);
    await expect(keys()).rejects.toMatchObject({ code: 'search_secret_missing' });
    expect(uploads()).toBe(0);
  });

  test.each([
    ['denied', 'decrypt_denied'],
    ['unavailable', 'decrypt_unavailable'],
  ] as const)('is not replaced when the key servers withhold it: %s', async (reason, code) => {
    const { keys, secrets, uploads } = world(fullScope.perms, () => ({ ok: false, reason, message: 'no' }));
    secrets.push(toBase64(sealedSecret(bo).envelope));
    await expect(keys()).rejects.toMatchObject({ code });
    expect(uploads()).toBe(0);
  });

  test('is gone after destroy', async () => {
    const { keys, source } = world();
    const made = await keys();
    source.destroy();
    expect(() => made.wordToken('tea')).toThrow(RangeError);
  });
});
