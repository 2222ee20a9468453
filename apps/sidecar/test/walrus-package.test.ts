import { createChainClient } from '@memrelay/chain/chain-client';
import { localnetInfoSchema } from '@memrelay/protocol/localnet-info';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkWalrus } from '../src/store/walrus-package.ts';
import { startLocalnet } from './localnet-process.ts';

let localnet: Awaited<ReturnType<typeof startLocalnet>>;
let ids: { packageId: string; systemObjectId: string; stakingObjectId: string };
beforeAll(async () => {
  localnet = await startLocalnet();
  ids = localnetInfoSchema.parse(await (await fetch(`${localnet.url}/info`)).json()).walrus;
});
afterAll(() => localnet?.close());

const none = `0x${'5'.repeat(64)}`;
const check = (more: Partial<{ systemObjectId: string; stakingPoolId: string; packageId: string }>) =>
  checkWalrus(createChainClient({ network: 'localnet', baseUrl: localnet.url }), {
    network: 'localnet',
    walrus: {
      systemObjectId: ids.systemObjectId,
      stakingPoolId: ids.stakingObjectId,
      packageId: undefined,
      ...more,
    },
  });

test('calls the package of the system object, which may also be set as STORE_PACKAGE_ID', async () => {
  expect(await check({})).toBe(ids.packageId);
  expect(await check({ packageId: ids.packageId })).toBe(ids.packageId);
});

test('rejects a package other than that of the system object', async () => {
  await expect(check({ packageId: none })).rejects.toThrow(
    /^STORE_PACKAGE_ID: the system object is of package 0x/,
  );
});

test('rejects objects that are not system or staking objects, and reports both', async () => {
  await expect(check({ systemObjectId: none })).rejects.toThrow(/^STORE_SYSTEM_OBJECT_ID: no Walrus/);
  await expect(check({ systemObjectId: ids.stakingObjectId })).rejects.toThrow(/^STORE_SYSTEM_OBJECT_ID: /);
  await expect(check({ stakingPoolId: ids.packageId })).rejects.toThrow(/^STORE_STAKING_OBJECT_ID: /);
  await expect(check({ systemObjectId: none, stakingPoolId: none })).rejects.toThrow(
    /STORE_SYSTEM_OBJECT_ID: .*\nSTORE_STAKING_OBJECT_ID: /,
  );
});

test('distinguishes an unreachable chain from missing objects', async () => {
  const away = createChainClient({ network: 'localnet', baseUrl: 'http://127.0.0.1:1' });
  const walrus = { systemObjectId: none, stakingPoolId: none, packageId: undefined };
  await expect(checkWalrus(away, { network: 'localnet', walrus })).rejects.toThrow(/^CHAIN_RPC_URL: /);
});
