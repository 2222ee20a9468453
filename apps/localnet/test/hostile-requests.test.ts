import { GrpcTypes } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, type ChainWorld, fundedKey, gift, send, startWorld } from './chain-world.ts';

const invalidArgument = 'grpc-status:3';
const ledger = 'LedgerService';
const execution = 'TransactionExecutionService';

let world: ChainWorld;
let url: string;
beforeAll(async () => {
  world = await startWorld('http binary');
  url = world.localnet!.url;
});
afterAll(() => world.close());

/** Sends the bytes of one message and returns the response as text, including the trailer. */
async function call(method: string, message: Uint8Array): Promise<string> {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  const answer = await fetch(`${url}/sui.rpc.v2.${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+proto' },
    body: Buffer.concat([header, message]),
  });
  return Buffer.from(await answer.arrayBuffer()).toString('latin1');
}

interface Answer {
  status: number;
  body: { error?: unknown; message?: string; digest?: string };
}

async function post(path: string, body: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

describe('gRPC messages', () => {
  test.each([
    ['cut off', Buffer.from([0x0a, 0x50, 1, 2])],
    ['with text that is not UTF-8', Buffer.from([0x0a, 0x02, 0xff, 0xfe])],
    ['of an unknown wire type', Buffer.from([0x0f, 0xff, 0xff])],
  ])('rejects messages %s as invalid', async (_name, message) => {
    expect(await call(`${ledger}/GetObject`, message)).toContain(invalidArgument);
  });

  test('rejects frames that announce more than they contain, or are compressed', async () => {
    for (const frame of [
      [0, 0xff, 0xff, 0xff, 0xff, 1],
      [1, 0, 0, 0, 0],
      [0, 0, 0],
    ]) {
      const answer = await fetch(`${url}/sui.rpc.v2.${ledger}/GetObject`, {
        method: 'POST',
        headers: { 'content-type': 'application/grpc-web+proto' },
        body: Buffer.from(frame),
      });
      expect(await answer.text()).toContain(invalidArgument);
    }
  });

  test('limits a batch to 1,000 reads', async () => {
    const requests = Array.from({ length: 1001 }, () => ({ objectId: '0x6' }));
    const message = GrpcTypes.BatchGetObjectsRequest.create({ requests });
    const answer = await call(
      `${ledger}/BatchGetObjects`,
      GrpcTypes.BatchGetObjectsRequest.toBinary(message),
    );
    expect(answer).toContain(invalidArgument);
  });

  test('returns nothing or an error for history at an impossible position', async () => {
    const far = GrpcTypes.ListEventsRequest.create({ startCheckpoint: 0xffff_ffff_ffff_ffffn });
    const beyond = await call(`${ledger}/ListEvents`, GrpcTypes.ListEventsRequest.toBinary(far));
    expect(beyond).toContain('grpc-status:0');
    const cursor = GrpcTypes.ListEventsRequest.create({ options: { after: Buffer.alloc(8, 0xff) } as never });
    const refused = await call(`${ledger}/ListEvents`, GrpcTypes.ListEventsRequest.toBinary(cursor));
    expect(refused).toContain(invalidArgument);
  });

  test('rejects an event filter with an invalid type', async () => {
    const { ids } = world.network;
    await send(world, await fundedKey(world), (tx) => {
      const target = `${ids.accountPackageId}::account::create_account`;
      tx.moveCall({ target, arguments: [tx.object(ids.registryId), tx.object.clock()] });
    });
    const eventType = { eventType: '0x2::a::b<' };
    const literals = [{ negated: false, predicate: { oneofKind: 'eventType' as const, eventType } }];
    const request = GrpcTypes.ListEventsRequest.create({ filter: { terms: [{ literals }, { literals }] } });
    const answer = await call(`${ledger}/ListEvents`, GrpcTypes.ListEventsRequest.toBinary(request));
    expect(answer).toContain(invalidArgument);
  });
});

describe('rejects simulated transactions with impossible parts', () => {
  const { INPUT } = GrpcTypes.Argument_ArgumentKind;
  const zero = { package: '0x2', module: 'coin', function: 'zero', arguments: [] };

  const moveCall = (typeArgument: string) => ({
    command: { oneofKind: 'moveCall', moveCall: { ...zero, typeArguments: [typeArgument] } },
  });

  test.each<[string, object, object?]>([
    [
      'an input number beyond 16 bits',
      {
        commands: [
          {
            command: {
              oneofKind: 'splitCoins',
              splitCoins: { coin: { kind: INPUT, input: 99_999 }, amounts: [] },
            },
          },
        ],
      },
    ],
    ['an invalid type', { commands: [moveCall('nonsense!')] }],
    ['an unterminated type', { commands: [moveCall('vector<'.repeat(30_000))] }],
    ['a type nested too deeply', { commands: [moveCall(`${'vector<'.repeat(9000)}u8${'>'.repeat(9000)}`)] }],
    ['an invalid digest', { inputs: [{ kind: 2, objectId: '0x6', version: 1n, digest: '0OIl' }] }],
    ['a missing epoch', {}, { expiration: { kind: 2 } }],
  ])('%s', async (_name, program, more = {}) => {
    const programmableTransaction = { inputs: [], commands: [], ...program };
    const kind = { kind: 1, data: { oneofKind: 'programmableTransaction', programmableTransaction } };
    const transaction = { sender: '0x1', kind, ...more };
    const request = GrpcTypes.SimulateTransactionRequest.create({ transaction } as never);
    const answer = await call(
      `${execution}/SimulateTransaction`,
      GrpcTypes.SimulateTransactionRequest.toBinary(request),
    );
    expect(answer).toContain(invalidArgument);
  });
});

describe("rejects transactions beyond Sui's limits", () => {
  async function simulate(build: (tx: Transaction) => void) {
    const key = await fundedKey(world);
    const { objects } = await world.client.listCoins({ owner: key.toSuiAddress() });
    const tx = new Transaction();
    tx.setSender(key.toSuiAddress());
    tx.setGasPayment(objects.map(({ objectId, version, digest }) => ({ objectId, version, digest })));
    tx.setGasPrice(1000);
    tx.setGasBudget(5_000_000);
    build(tx);
    return world.client.simulateTransaction({ transaction: await tx.build() });
  }

  test.each<[string, (tx: Transaction) => void]>([
    [
      'more than 1,024 commands',
      (tx) => {
        for (let i = 0; i < 1025; i++) tx.splitCoins(tx.gas, []);
      },
    ],
    ['more than 512 arguments', (tx) => void tx.splitCoins(tx.gas, Array(513).fill(tx.pure.u64(1)))],
    [
      'a plain argument above 16 KiB',
      (tx) => void tx.makeMoveVec({ type: 'u8', elements: [tx.pure(new Uint8Array(16_385))] }),
    ],
    [
      'more than 128 KiB',
      (tx) => {
        for (let i = 0; i < 9; i++) tx.pure(new Uint8Array(16_384).fill(i));
        tx.splitCoins(tx.gas, []);
      },
    ],
  ])('%s', async (_name, build) => {
    await expect(simulate(build)).rejects.toThrow(/Size limit exceeded/);
  });

  test('rejects a value that doubles with every command', async () => {
    const result = await simulate((tx) => {
      let vector = tx.makeMoveVec({ type: 'u8', elements: Array(500).fill(tx.pure.u8(1)) });
      for (let i = 0; i < 20; i++) {
        vector = tx.makeMoveVec({ type: 'vector<u8>', elements: Array(500).fill(vector) });
      }
    });
    expect(result.FailedTransaction?.status.error?.message).toContain('too large');
  });
});

describe('the faucet', () => {
  test('accepts only an address', async () => {
    for (const recipient of ['', '0x', 'me', ' 0x1', '0x1 ', `0x${'1'.repeat(65)}`, 7, null, ['0x1'], {}]) {
      const { status, body } = await post('/faucet', JSON.stringify({ recipient }));
      expect([recipient, status, body.error]).toEqual([recipient, 400, 'invalid_request']);
    }
    expect((await post('/faucet', '{')).body).toMatchObject({ error: 'invalid_request' });
    const large = await post('/faucet', JSON.stringify({ recipient: 'a'.repeat(2_000_000) }));
    expect(large).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
  });

  test('keeps working after transfers to itself, including small coins', async () => {
    const { faucet } = world.network;
    for (let i = 0; i < 8; i++) {
      expect(await post('/faucet', JSON.stringify({ recipient: faucet.address }))).toMatchObject({
        status: 200,
      });
    }
    const key = await fundedKey(world);
    const tx = new Transaction();
    const coins = tx.splitCoins(tx.gas, Array(40).fill(1));
    tx.transferObjects(
      Array.from({ length: 40 }, (_, i) => coins[i]!),
      faucet.address,
    );
    await world.client.signAndExecuteTransaction({ transaction: tx, signer: key });
    const friend = await fundedKey(world);
    expect(await balanceOf(world, friend.toSuiAddress())).toBe(gift);
  });
});

describe('JSON-RPC', () => {
  test('returns a parse error for invalid JSON', async () => {
    expect(await post('/', '{')).toMatchObject({
      status: 200,
      body: { jsonrpc: '2.0', id: null, error: { code: -32700 } },
    });
  });

  test('rejects a batch that is empty, nested or too large', async () => {
    expect(await post('/', '[]')).toMatchObject({ body: { error: { code: -32600 } } });
    expect((await post('/', '[[{"id":1,"method":"sui_getObject","params":["0x6"]}]]')).body).toMatchObject([
      { error: { code: -32600 } },
    ]);
    const deep = await post('/', '['.repeat(100_000) + ']'.repeat(100_000));
    expect(deep).toMatchObject({ status: 200, body: [{ error: { code: -32600 } }] });
    const one = { jsonrpc: '2.0', id: 1, method: 'sui_getObject', params: ['0x6'] };
    expect((await post('/', JSON.stringify(Array(50).fill(one)))).body).toHaveLength(50);
    expect((await post('/', JSON.stringify(Array(51).fill(one)))).body).toMatchObject({
      error: { code: -32600 },
    });
  });

  test('accepts an id only as hex of at most 32 bytes', async () => {
    for (const id of ['', '0x', 'xyz', `0x${'1'.repeat(65)}`, 6, null, {}]) {
      const request = { jsonrpc: '2.0', id: 1, method: 'sui_getObject', params: [id] };
      expect((await post('/', JSON.stringify(request))).body).toMatchObject({ error: { code: -32602 } });
    }
  });
});

test('returns a 404 in the format of every other error for an unknown path', async () => {
  const answer = await fetch(`${url}/nothing`);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: 'not_found', message: expect.any(String) },
  ]);
});
