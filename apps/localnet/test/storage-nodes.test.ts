import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signBls } from '@memrelay/chain/walrus-bls';
import { isQuorum, storageCommittee, storageNodesAnnouncement } from '@memrelay/chain/walrus-committee';
import { stakingPoolBcs, systemStateBcs } from '@memrelay/chain/walrus-state-bcs';
import { bcs } from '@mysten/sui/bcs';
import { WalrusClient } from '@mysten/walrus';
import { expect, onTestFinished, test } from 'vitest';
import { fieldContents, fieldId } from '../src/execution/workspace.ts';
import { createLocalnet } from '../src/localnet.ts';
import { openNetwork } from '../src/network.ts';
import { type ChainWorld, startWorld } from './chain-world.ts';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'localnet-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function addresses({ client, network }: Pick<ChainWorld, 'client' | 'network'>): Promise<string[]> {
  const { objects } = await client.getObjects({
    objectIds: network.ids.nodeIds,
    include: { content: true },
  });
  return objects.map((object) => {
    if (object instanceof Error) throw object;
    return stakingPoolBcs.parse(object.content!).node_info.network_address;
  });
}

const addressesAt = (host: string) => Array.from({ length: 11 }, (_, index) => `${host}/nodes/${index}`);

test('an older network gets its storage nodes at the next start, in any epoch', async () => {
  const dataDir = temporaryDirectory();
  const first = openNetwork({ dataDir, nShards: 31 });
  const { ids, chain } = first;
  const epoch = chain.advanceEpoch(3);
  const name = { type: 'u64', bytes: bcs.u64().serialize(1).toBytes() };
  const id = fieldId(ids.systemObjectId, name);
  const state = chain.store.object(id)!;
  const system = systemStateBcs.parse(state.contents.slice(32 + name.bytes.length));
  // The state of an earlier release: one node with all shards.
  system.committee.members = [{ ...system.committee.members[0]!, weight: 31 }];
  const contents = fieldContents(id, name.bytes, systemStateBcs.serialize(system).toBytes());
  chain.writeSystemObjects('an earlier release', [{ ...state, contents }]);
  first.close();

  const world = await startWorld('http text', { dataDir });
  onTestFinished(() => world.close());
  const walrus = new WalrusClient({
    suiClient: world.client,
    packageConfig: { systemObjectId: ids.systemObjectId, stakingPoolId: ids.stakingObjectId },
  });
  const { committee } = await walrus.systemState();
  expect(committee).toMatchObject({ epoch, n_shards: 31 });
  expect(committee.members.map(({ node_id }) => node_id)).toEqual(ids.nodeIds);
  expect(committee.members.reduce((sum, { weight }) => sum + weight, 0)).toBe(31);
  expect(await addresses(world)).toEqual(addressesAt('127.0.0.1:31415'));
});

test("the announced address survives restarts, and another chain's announcement is rejected", async () => {
  const dataDir = temporaryDirectory();
  const localnet = await createLocalnet({ dataDir, port: 0, nShards: 31 });
  const { network } = localnet;
  const url = 'http://store.example:4000';
  const announce = (chainId: string, signer = network.committee.secretKey) =>
    fetch(`${localnet.url}/storage-nodes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        url,
        signature: Buffer.from(signBls(signer, storageNodesAnnouncement(chainId, url))).toString('base64'),
      }),
    });
  expect((await announce('00000000')).status).toBe(401);
  expect((await announce(localnet.info.chainId, network.committee.members[0]!.secretKey)).status).toBe(401);
  const { seq } = network.chain.tip;
  expect((await announce(localnet.info.chainId)).status).toBe(200);
  expect(network.chain.tip.seq).toBe(seq + 1);
  expect((await announce(localnet.info.chainId)).status).toBe(200);
  expect(network.chain.tip.seq).toBe(seq + 1);
  await localnet.close();

  const world = await startWorld('http text', { dataDir });
  onTestFinished(() => world.close());
  expect(await addresses(world)).toEqual(addressesAt('store.example:4000'));
});

test.each([4, 7, 10, 11, 31, 100, 1000])('the nodes divide %i shards', (nShards) => {
  const { members, publicKey } = storageCommittee(new Uint8Array(32).fill(7), nShards);
  expect(members.flatMap(({ shards }) => shards)).toEqual(Array.from({ length: nShards }, (_, i) => i));
  const weights = members.map(({ shards }) => shards.length);
  expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(1);
  expect(members).toHaveLength(Math.min(nShards, 11));
  expect(new Set(members.map((member) => Buffer.from(member.publicKey).toString('hex'))).size).toBe(
    members.length,
  );
  expect(publicKey).toHaveLength(48);
  expect(isQuorum(nShards, nShards)).toBe(true);
  expect(isQuorum(Math.floor((2 * nShards) / 3), nShards)).toBe(false);
});
