import { bcs } from '@mysten/sui/bcs';
import type { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import { toBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChainWorld, created, fundedKey, send, startWorld, transports } from './chain-world.ts';
import { counterPackage, counterType } from './counter-module.ts';

type OwnedPage = Awaited<ReturnType<ChainWorld['client']['listOwnedObjects']>>;
type FieldPage = Awaited<ReturnType<typeof SuiGrpcClient.prototype.listDynamicFields<{ value: true }>>>;

describe.each(transports)('reads over %s', (transport) => {
  let world: ChainWorld;
  let key: Awaited<ReturnType<typeof fundedKey>>;
  beforeAll(async () => {
    world = await startWorld(transport);
    key = await fundedKey(world);
  });
  afterAll(() => world.close());

  const makeShared = async (): Promise<string> => {
    const result = await send(world, key, (tx) => {
      tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
    });
    return created(result, counterType)[0]!;
  };
  const add = (counter: string, amount: number) =>
    send(world, key, (tx) => {
      const args = [tx.object(counter), tx.pure.u64(amount)];
      tx.moveCall({ target: `${counterPackage}::counter::add`, arguments: args });
    });

  test('lists each owned object once, in pages and filtered by type', async () => {
    const owner = key.toSuiAddress();
    const result = await send(world, key, (tx) => {
      const counters = Array.from({ length: 7 }, () =>
        tx.moveCall({ target: `${counterPackage}::counter::create` }),
      );
      tx.transferObjects(counters, owner);
    });
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page: OwnedPage = await world.client.listOwnedObjects({
        owner,
        type: counterType,
        limit: 3,
        cursor,
      });
      pages.push(page.objects.map(({ objectId }) => objectId));
      expect(page.objects.every(({ type }) => type === counterType)).toBe(true);
      cursor = page.cursor;
    } while (cursor);
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat().sort()).toEqual(created(result, counterType).sort());
    const coins = await world.client.listOwnedObjects({ owner, type: '0x2::coin::Coin' });
    expect(coins.objects).toHaveLength(2);
    const all = await world.client.listOwnedObjects({ owner });
    expect(all.objects).toHaveLength(9);
  });

  test('returns the requested fields of an object, and a separate error for a missing object', async () => {
    const counter = await makeShared();
    const { objects } = await world.client.getObjects({
      objectIds: [counter, `0x${'e'.repeat(64)}`],
      include: { content: true, objectBcs: true, previousTransaction: true },
    });
    const [found, missing] = objects;
    expect(missing).toMatchObject({ reason: 'notFound' });
    if (!found || found instanceof Error) throw new Error('not found');
    expect(found.type).toBe(counterType);
    const decoded = bcs.Object.parse(found.objectBcs!);
    expect(decoded.data.Move?.contents).toEqual(found.content);
    expect(decoded.previousTransaction).toBe(found.previousTransaction);
    const plain = await world.client.getObject({ objectId: counter });
    expect(plain.object.content).toBeUndefined();
  });

  test('packages are at version 1', async () => {
    const { object } = await world.client.getObject({ objectId: world.network.ids.accountPackageId });
    expect(String(object.version)).toBe('1');
  });

  test('dynamic fields are found by name and listed in pages', async () => {
    const counter = await makeShared();
    await send(world, key, (tx) => {
      for (const [name, value] of [
        ['a', 1],
        ['long name', 2],
        ['ü', 3],
      ] as const) {
        const args = [tx.object(counter), tx.pure.string(name), tx.pure.u64(value)];
        tx.moveCall({ target: `${counterPackage}::counter::note`, arguments: args });
      }
    });
    const name = { type: '0x1::string::String', bcs: bcs.string().serialize('long name').toBytes() };
    const { dynamicField } = await world.client.getDynamicField({ parentId: counter, name });
    expect(bcs.u64().parse(dynamicField.value.bcs)).toBe('2');
    const seen = new Map<string, string>();
    let cursor: string | null = null;
    do {
      const page: FieldPage = await world.client.listDynamicFields({
        parentId: counter,
        limit: 2,
        cursor,
        include: { value: true },
      });
      for (const field of page.dynamicFields) {
        seen.set(bcs.string().parse(field.name.bcs), bcs.u64().parse(field.value.bcs));
      }
      cursor = page.cursor;
    } while (cursor);
    expect(Object.fromEntries(seen)).toEqual({ a: '1', 'long name': '2', ü: '3' });
  });

  test('events are read in order, resumed by cursor and filtered', async () => {
    const counter = await makeShared();
    const start = (await world.client.listEvents({ limit: 1, order: 'descending' })).endCursor;
    for (const amount of [1, 2, 3]) await add(counter, amount);
    const filter = { eventType: `${counterPackage}::counter::Added` };
    const seen: string[] = [];
    let after = start;
    for (;;) {
      const page = await world.client.listEvents({ filter, limit: 2, ...(after && { after }) });
      for (const event of page.events) seen.push(bcs.u64().parse(event.bcs.slice(32)));
      after = page.endCursor ?? after;
      if (!page.hasNextPage) break;
    }
    expect(seen).toEqual(['1', '3', '6']);
    await add(counter, 4);
    const next = await world.client.listEvents({ filter, after: after! });
    expect(next.events).toHaveLength(1);
    const [event] = next.events;
    expect(event).toMatchObject({
      packageId: counterPackage,
      module: 'counter',
      sender: key.toSuiAddress(),
      eventType: `${counterPackage}::counter::Added`,
    });
    expect((await world.client.getTransaction({ digest: event!.transactionDigest! })).$kind).toBe(
      'Transaction',
    );
    const byModule = await world.client.listEvents({
      filter: { emitModule: `${counterPackage}::counter` },
      limit: 50,
    });
    const byAnother = await world.client.listEvents({ filter: { eventType: `${counterPackage}::other` } });
    expect(byModule.events.length).toBeGreaterThanOrEqual(4);
    expect(byAnother.events).toEqual([]);
    const newest = await world.client.listEvents({ filter, limit: 1, order: 'descending' });
    expect(newest.events[0]).toEqual(event);
  });

  test('transactions are listed by sender and by function', async () => {
    const counter = await makeShared();
    await add(counter, 1);
    await add(counter, 2);
    const called = await world.client.listTransactions({
      filter: { function: `${counterPackage}::counter::add` },
      limit: 2,
      order: 'descending',
    });
    expect(called.transactions).toHaveLength(2);
    expect(called.hasNextPage).toBe(true);
    const mine = await world.client.listTransactions({ filter: { sender: key.toSuiAddress() }, limit: 3 });
    expect(mine.transactions).toHaveLength(3);
    const rest = await world.client.listTransactions({
      filter: { sender: key.toSuiAddress() },
      limit: 3,
      after: mine.endCursor!,
    });
    const digests = [...mine.transactions, ...rest.transactions].map((tx) => tx.Transaction?.digest);
    expect(new Set(digests).size).toBe(digests.length);
  });

  test('a subscription delivers new events, and its cursor works in ListEvents', async () => {
    const counter = await makeShared();
    const stop = new AbortController();
    const filter = {
      terms: [
        {
          literals: [
            {
              negated: false,
              predicate: {
                oneofKind: 'eventType' as const,
                eventType: { eventType: `${counterPackage}::counter::Added` },
              },
            },
          ],
        },
      ],
    };
    const call = world.client.subscriptionService.subscribeEvents({ filter }, { abort: stop.signal });
    const frames = call.responses[Symbol.asyncIterator]();
    const next = async () => (await frames.next()).value as GrpcTypes.SubscribeEventsResponse;
    // The first frame contains the position from which everything is delivered.
    const from = (await next()).watermark?.cursor;
    expect((await world.client.listEvents({ after: toBase64(from!) })).events).toEqual([]);
    await add(counter, 1);
    await add(counter, 5);
    const sums: string[] = [];
    let cursor: Uint8Array | undefined;
    while (sums.length < 2) {
      const { event, watermark } = await next();
      cursor = watermark?.cursor;
      if (event) sums.push(bcs.u64().parse(event.contents!.value!.slice(32)));
    }
    expect(sums).toEqual(['1', '6']);
    await add(counter, 9);
    expect((await world.client.listEvents({ after: toBase64(cursor!) })).events).toHaveLength(1);
    stop.abort();
    await expect(call.status).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('the service info describes the chain', async () => {
    const { chainIdentifier } = await world.client.getChainIdentifier();
    expect(chainIdentifier).toBe(world.network.chain.chainIdentifier);
    expect((await world.client.getReferenceGasPrice()).referenceGasPrice).toBe('1000');
    const { systemState } = await world.client.getCurrentSystemState();
    expect(systemState.epoch).toBe('1');
    const info = await world.client.ledgerService.getServiceInfo({});
    const { response } = await world.client.ledgerService.getCheckpoint({
      checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: info.response.checkpointHeight! },
      readMask: { paths: ['sequence_number', 'digest', 'transactions.digest'] },
    });
    expect(response.checkpoint?.transactions).toHaveLength(1);
    const { coinMetadata } = await world.client.getCoinMetadata({ coinType: world.network.ids.walType });
    expect(coinMetadata).toMatchObject({ symbol: 'WAL', decimals: 9 });
  });

  test('functions are described as in Move', async () => {
    const { ids } = world.network;
    const described = await world.client.getMoveFunction({
      packageId: ids.walrusPackageId,
      moduleName: 'staking',
      name: 'stake_with_pool',
    });
    expect(described.function.parameters[1]?.body).toMatchObject({
      $kind: 'datatype',
      datatype: { typeParameters: [{ $kind: 'datatype', datatype: { typeName: ids.walType } }] },
    });
    const { response } = await world.client.movePackageService.getPackage({
      packageId: ids.accountPackageId,
    });
    expect(response.package?.modules.map(({ name }) => name)).toContain('account');
  });

  test('signatures are verified, names are not found, and other methods do not exist', async () => {
    const message = new TextEncoder().encode('hello');
    const { signature } = await key.signPersonalMessage(message);
    const verify = (value: Uint8Array) =>
      world.client.signatureVerificationService.verifySignature({
        message: { name: 'PersonalMessage', value: bcs.byteVector().serialize(value).toBytes() },
        signature: { bcs: { value: Buffer.from(signature, 'base64') }, signature: { oneofKind: undefined } },
        address: key.toSuiAddress(),
        jwks: [],
      });
    expect((await verify(message)).response.isValid).toBe(true);
    expect((await verify(new Uint8Array([1]))).response.isValid).toBe(false);
    expect((await world.client.resolveNameServiceAddress({ name: 'a.sui' })).address).toBeNull();
    await expect(world.client.movePackageService.getDatatype({ packageId: '0x2' })).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
    });
  });
});
