import { accountBcs, fullScope } from '@memrelay/chain/account-bcs';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { expect, it } from 'vitest';
import { createAccountSource, maxAccountAgeMs } from '../../src/manual/account-state.ts';
import { rejection } from '../wire-double.ts';

const packageId = `0x${'9a'.repeat(32)}`;
const accountId = `0x${'ac'.repeat(32)}`;
const address = `0x${'01'.repeat(32)}`;

/** A chain with one account, which counts the queries. */
function chainOf(at: { epoch: bigint; version: bigint; broken?: boolean }): ChainClient & { reads: number } {
  const chain = {
    reads: 0,
    sui: undefined as never,
    async call() {
      chain.reads += 1;
      if (at.broken) throw new Error('down');
      const content = accountBcs
        .serialize({
          id: accountId,
          origin: address,
          owner: address,
          active: true,
          key_epoch: at.epoch,
          version: 1n,
          delegate_keys: [],
          scopes: [{ key: address, value: { ...fullScope } }],
          recovery_pk: new Uint8Array(),
          pending_owner: null,
        })
        .toBytes();
      const object = {
        objectId: accountId,
        version: String(at.version),
        type: `${packageId}::account::Account`,
        owner: { $kind: 'Shared', Shared: { initialSharedVersion: '7' } },
        content,
      };
      return { objects: [object] } as never;
    },
  };
  return chain;
}

it('notices a new key epoch within 30 s, well before the promised 60 s', async () => {
  expect(maxAccountAgeMs).toBeLessThanOrEqual(30_000);
  const at = { epoch: 3n, version: 10n };
  const chain = chainOf(at);
  let now = 0;
  const source = createAccountSource({ chain, packageId }, accountId, () => now);
  const read = async () => (await source.read(maxAccountAgeMs, undefined)).account.key_epoch;
  expect(await Promise.all([read(), read(), read()])).toEqual([3n, 3n, 3n]);
  expect(chain.reads).toBe(1);
  Object.assign(at, { epoch: 4n, version: 11n });
  now = maxAccountAgeMs - 1;
  expect(await read()).toBe(3n);
  now = maxAccountAgeMs;
  expect(await read()).toBe(4n);
});

it('never uses older state, and fails instead of sealing under a past epoch', async () => {
  const at = { epoch: 4n, version: 11n, broken: false };
  const source = createAccountSource({ chain: chainOf(at), packageId }, accountId);
  await source.read(0, undefined);
  Object.assign(at, { epoch: 3n, version: 10n });
  const refused = { code: 'chain_unavailable', retryable: true };
  expect(await rejection(source.read(0, undefined))).toMatchObject(refused);
  at.broken = true;
  expect(await rejection(source.read(0, undefined))).toMatchObject(refused);
  Object.assign(at, { epoch: 5n, version: 12n, broken: false });
  expect((await source.read(0, undefined)).account.key_epoch).toBe(5n);
});

it('an aborted caller does not abort the read for others', async () => {
  const source = createAccountSource({ chain: chainOf({ epoch: 1n, version: 1n }), packageId }, accountId);
  const controller = new AbortController();
  const given = source.read(0, controller.signal);
  const others = source.read(0, undefined);
  controller.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  expect((await others).account.key_epoch).toBe(1n);
});
