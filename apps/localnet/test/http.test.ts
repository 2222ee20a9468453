import { localnetInfoSchema } from '@memrelay/protocol/localnet-info';
import { JsonRpcHTTPTransport, SuiJsonRpcClient } from '@mysten/sui/jsonRpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChainWorld, created, fundedKey, send, startWorld } from './chain-world.ts';

let world: ChainWorld;
let url: string;
beforeAll(async () => {
  world = await startWorld('http text');
  url = world.localnet!.url;
});
afterAll(() => world.close());

async function rpc(body: unknown) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

test('/info matches its schema and names existing objects', async () => {
  const info = localnetInfoSchema.parse(await (await fetch(`${url}/info`)).json());
  expect(info).toMatchObject({ rpcUrl: url, threshold: info.keyServers.length });
  const ids = [info.packageId, info.registryId, info.walrus.packageId, info.walrus.systemObjectId];
  const { objects } = await world.client.getObjects({
    objectIds: [
      ...ids,
      info.walrus.stakingObjectId,
      ...[...info.keyServers, info.committee].map(({ objectId }) => objectId),
    ],
  });
  expect(objects.filter((object) => object instanceof Error)).toEqual([]);
});

test('the faucet works over HTTP and rejects an invalid address', async () => {
  const recipient = new Ed25519Keypair().toSuiAddress();
  const post = (body: unknown) =>
    fetch(`${url}/faucet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const answers = await Promise.all([post({ recipient }), post({ recipient })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { balance } = await world.client.getBalance({ owner: recipient });
  expect(BigInt(balance.balance)).toBe(2_000_000_000_000n);
  expect((await post({ recipient: 'me' })).status).toBe(400);
  expect((await post(null)).status).toBe(400);
});

test("the committee's members can only be stopped with the admin token", async () => {
  const { adminToken, keyServers } = world.network;
  const post = (path: string, body: unknown, token = adminToken) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const headers = { 'content-type': 'application/json', 'client-sdk-version': '1.4.12' };
  const fetchKey = (path: string) =>
    fetch(`${url}/committee${path}/v1/fetch_key`, { method: 'POST', headers, body: '{}' });

  const wrong = [{ down: [0] }, { apiKey: { name: 'x', key: 'y' } }];
  for (const body of wrong) expect((await post('/admin/committee', body, 'guessed')).status).toBe(401);
  for (const body of [{ down: 3 }, { down: ['0'] }, { apiKey: 'x' }, { apiKey: { name: 'x' } }])
    expect((await post('/admin/committee', body)).status).toBe(400);
  expect((await fetchKey('/members/1')).status).toBe(400);

  expect((await post('/admin/committee', { down: [1], apiKey: { name: 'x', key: 'y' } })).status).toBe(200);
  expect((await fetchKey('/members/1')).status).toBe(503);
  expect((await fetchKey('/members/0')).status).toBe(400);
  expect((await fetchKey('')).status).toBe(401);
  expect((await post('/admin/committee', { down: [], apiKey: null })).status).toBe(200);
  expect((await fetchKey('/members/1')).status).toBe(400);
  expect((await fetchKey('')).status).toBe(400);
  expect(keyServers.committee.info(url).members).toHaveLength(5);
});

test('a browser of any origin may send requests and read the gRPC status', async () => {
  const path = `${url}/sui.rpc.v2.LedgerService/GetServiceInfo`;
  const preflight = await fetch(path, { method: 'OPTIONS', headers: { origin: 'http://page.example' } });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' },
    body: new Uint8Array(5),
  });
  expect(answer.headers.get('content-type')).toBe('application/grpc-web+proto');
  expect(answer.headers.get('access-control-expose-headers')).toContain('grpc-status');
});

test('a body that is not a gRPC-web message is rejected in the trailer', async () => {
  const answer = await fetch(`${url}/sui.rpc.v2.LedgerService/GetObject`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+proto' },
    body: 'x',
  });
  expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toContain('grpc-status:3');
});

test('the JSON-RPC client of the SDK reads accounts and packages', async () => {
  const { ids } = world.network;
  const owner = await fundedKey(world);
  const result = await send(world, owner, (tx) => {
    tx.moveCall({
      target: `${ids.accountPackageId}::account::create_account`,
      arguments: [tx.object(ids.registryId), tx.object.clock()],
    });
  });
  const account = created(result, `${ids.accountPackageId}::account::Account`)[0]!;
  const client = new SuiJsonRpcClient({ network: 'localnet', transport: new JsonRpcHTTPTransport({ url }) });
  const options = { showType: true, showOwner: true, showContent: true, showBcs: true };
  const [read, pack] = await client.multiGetObjects({ ids: [account, ids.accountPackageId], options });
  expect(read?.data).toMatchObject({
    objectId: account,
    type: `${ids.accountPackageId}::account::Account`,
    owner: { Shared: { initial_shared_version: expect.anything() } },
    content: {
      dataType: 'moveObject',
      fields: {
        id: { id: account },
        owner: owner.toSuiAddress(),
        active: true,
        key_epoch: '0',
        delegate_keys: [],
      },
    },
    bcs: { dataType: 'moveObject', bcsBytes: expect.any(String) },
  });
  expect(pack?.data).toMatchObject({ version: '1', owner: 'Immutable', content: { dataType: 'package' } });
  const missing = await client.getObject({ id: `0x${'e'.repeat(64)}` });
  expect(missing.error).toMatchObject({ code: 'notExists' });
});

test('JSON-RPC rejects unsupported methods with the standard codes', async () => {
  expect(await rpc({ jsonrpc: '2.0', id: 7, method: 'suix_queryEvents', params: [] })).toMatchObject({
    id: 7,
    error: { code: -32601 },
  });
  expect(await rpc({ jsonrpc: '2.0', id: 1, method: 'sui_getObject', params: ['nothing'] })).toMatchObject({
    error: { code: -32602 },
  });
  expect(await rpc({ id: 1 })).toMatchObject({ error: { code: -32600 } });
  expect(await rpc([{ jsonrpc: '2.0', id: 1, method: 'a' }, null])).toHaveLength(2);
});
