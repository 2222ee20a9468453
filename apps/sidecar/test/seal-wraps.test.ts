import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import type { AccountObject } from '@memrelay/chain/account-reader';
import { isPrivateAddress } from '@memrelay/process/guarded-fetch';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { SealClient, type SealCompatibleClient } from '@mysten/seal';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawPublicKey } from '../src/base/raw-public-key.ts';
import { KeyServerChanged, KeyServerDirectory } from '../src/seal/key-server-directory.ts';
import { SealPool } from '../src/seal/seal-pool.ts';
import type { UnwrapItem } from '../src/seal/seal-tasks.ts';
import { makeServerSet, makeServerSets } from '../src/seal/server-sets.ts';
import { readServerSnapshot } from '../src/seal/server-snapshot.ts';
import { KeyUnwrapper } from '../src/seal/unwrap-keys.ts';
import { type RegisteredServer, rewrittenServers } from './rewritten-servers.ts';
import { identityOf, logger, network, refOf, type SealWorld, startSealWorld, tagOf } from './seal-world.ts';

let world: SealWorld;
const owner = new Ed25519Keypair();
let account: AccountObject;
let packageId: string;
let item: UnwrapItem;

beforeAll(async () => {
  world = await startSealWorld();
  ({ packageId } = world);
  account = await world.createAccount(owner);
  item = { identity: identityOf(account), ...(await world.wrap(identityOf(account))) };
});
afterAll(() => world.close());

async function reason(wrong: Partial<UnwrapItem>, unwrapper = world.unwrapper): Promise<string> {
  const session = await world.sessions.fromPrivateKey(owner.getSecretKey());
  const [result] = await unwrapper.unwrapKeys(session, refOf(account), [{ ...item, ...wrong }]);
  return result!.ok ? 'ok' : `${result!.reason}: ${result!.message}`;
}

/** A wrap made by hand with Seal's own client. */
async function handmade(options: {
  data?: Uint8Array;
  threshold?: number;
  package?: string;
  servers?: number[];
}) {
  const { data = new Uint8Array(32).fill(5), threshold = 2, servers = [0, 1] } = options;
  const serverConfigs = servers.map((n) => ({ objectId: world.twoOfTwo.servers[n]!.objectId, weight: 1 }));
  const core = {
    getDynamicField: world.client.core.getDynamicField,
    getObject: (o: { objectId: string }) =>
      o.objectId === options.package ? { object: { version: '1' } } : world.client.core.getObject(o),
  };
  const client = new SealClient({ suiClient: { core } as unknown as SealCompatibleClient, serverConfigs });
  const id = toHex(item.identity);
  const { encryptedObject } = await client.encrypt({
    threshold,
    packageId: options.package ?? packageId,
    id,
    data,
  });
  return encryptedObject;
}

/** Endless white space, which is a valid beginning of JSON. */
function endless(): Readable {
  const chunk = Buffer.alloc(65_536, ' ');
  return new Readable({
    read() {
      this.push(chunk);
    },
  });
}

describe('wraps that are rejected', () => {
  it('of another size, with trailing bytes, or malformed', async () => {
    for (const wrap of [new Uint8Array(), new Uint8Array(404), new Uint8Array([...item.wrap, 0])]) {
      expect(await reason({ wrap })).toBe('malformed: the wrap is not a Seal object');
    }
    expect(await reason({ wrap: item.wrap.slice(0, -1) })).toBe('malformed: the wrap is not a Seal object');
    expect(await reason({ wrap: new Uint8Array(20_000) })).toBe('malformed: the wrap is not a Seal object');
  });

  it('for another identity, package or server set', async () => {
    expect(await reason({ identity: identityOf(account, tagOf(9)) })).toContain('another identity');
    expect(await reason({ wrap: await handmade({ package: `0x${'cd'.repeat(32)}` }) })).toContain(
      'another package',
    );
    expect(await reason({ wrap: await handmade({ servers: [0], threshold: 1 }) })).toContain(
      'not configured',
    );
    expect(await reason({ wrap: await handmade({ servers: [0, 1], threshold: 1 }) })).not.toContain(
      'not configured',
    );
  });

  it("of something that is not the recipient's key", async () => {
    expect(await reason({ wrap: await handmade({}) })).toContain('does not belong to the recipient');
    expect(await reason({ wrap: await handmade({ data: new Uint8Array(31) }) })).toContain(
      'does not hold a key',
    );
    const mine = new Uint8Array(32).fill(5);
    expect(await reason({ wrap: await handmade({}), recipientPk: rawPublicKey('x25519', mine) })).toBe('ok');
  });

  it('with any bit flipped, while a valid wrap of the same key still works', async () => {
    const session = await world.sessions.fromPrivateKey(owner.getSecretKey());
    // From the Seal version to the last byte of the ciphertext
    const positions = [0, 40, 95, 130, 170, 200, 260, 300, 350, item.wrap.length - 1];
    const broken = positions.map((at) => ({
      ...item,
      wrap: item.wrap.map((byte, i) => (i === at ? byte ^ 1 : byte)),
    }));
    world.unwrapper.dropAccount(account.account.id);
    const results = await world.unwrapper.unwrapKeys(session, refOf(account), [...broken, item]);
    expect(results.map((result) => (result.ok ? 'ok' : result.reason))).toEqual([
      ...positions.map(() => 'malformed'),
      'ok',
    ]);
  });
});

describe('wrapping', () => {
  it('creates a new pair each time and keeps no private key', async () => {
    const again = await world.wrap(item.identity);
    expect(again.recipientPk).not.toEqual(item.recipientPk);
    expect(Object.keys(again).sort()).toEqual(['recipientPk', 'serverSet', 'wrap']);
    expect(again.serverSet).toBe(world.twoOfTwo.id);
    expect(again.wrap).toHaveLength(404);
  });

  it('rejects an identity of another length', async () => {
    await expect(world.wrap(new Uint8Array(55))).rejects.toThrow(RangeError);
  });

  it('does not block the event loop', async () => {
    await world.wrap(item.identity);
    const before = performance.eventLoopUtilization();
    await Promise.all(Array.from({ length: 6 }, () => world.wrap(item.identity)));
    const { active } = performance.eventLoopUtilization(before);
    // Six wraps take more than 200 ms of computation.
    expect(active).toBeLessThan(60);
  });
});

describe('key servers', () => {
  it('prove that they have their keys, and one that does not is detected', async () => {
    const snapshot = await world.directory.snapshot(world.twoOfTwo);
    await world.pool.verifyKeyServers({ snapshot, network });

    const [first, second] = world.twoOfTwo.servers.map(({ objectId }) => snapshot.publicKeys.get(objectId)!);
    const client = rewrittenServers(world.client, (server) =>
      toHex(server.publicKey) === second ? { ...server, publicKey: fromHex(first!) } : server,
    );
    const directory = new KeyServerDirectory({ client, packageId, logger });
    const forged = await directory.snapshot(world.twoOfTwo);
    await expect(world.pool.verifyKeyServers({ snapshot: forged, network })).rejects.toThrow('is not valid');

    // A wrong public key concerns new wraps only: an existing one shows by its recipient that the keys were right
    const unwrapper = new KeyUnwrapper({ directory, pool: world.pool, sets: world.sets, network, logger });
    expect(await reason({}, unwrapper)).toBe('ok');
  });

  it('are pinned by id and public key', async () => {
    const pins = await world.directory.pins(world.twoOfTwo);
    expect(pins.map(({ objectId, weight }) => ({ objectId, weight }))).toEqual(world.twoOfTwo.servers);
    const { publicKeys } = await readServerSnapshot(world.chain.sui, packageId, world.twoOfTwo);
    expect(pins.map((pin) => pin.publicKey)).toEqual([...publicKeys.values()]);
  });

  it('that cannot be read from the chain make a key unavailable, and are reloaded at the next call', async () => {
    let broken = true;
    const core = {
      getDynamicField: world.client.core.getDynamicField,
      getObject: (options: { objectId: string }) => {
        if (broken) throw new Error('the chain is away');
        return world.client.core.getObject(options);
      },
    };
    const client = { core } as unknown as SealCompatibleClient;
    const directory = new KeyServerDirectory({ client, packageId, logger });
    const unwrapper = new KeyUnwrapper({ directory, pool: world.pool, sets: world.sets, network, logger });
    expect(await reason({}, unwrapper)).toContain('unavailable');
    broken = false;
    expect(await reason({}, unwrapper)).toBe('ok');
  });

  it('on a private address are not called unless the network is local', async () => {
    const closed = { ...network, allowPrivateAddresses: false };
    const { port } = new URL(world.proxy.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const client = rewrittenServers(world.client, (server) => ({
        ...server,
        url: `http://${host}:${port}/key/0`,
      }));
      const directory = new KeyServerDirectory({ client, packageId, logger });
      const before = world.proxy.faults.requests;
      expect(await reason({}, new KeyUnwrapper({ ...world, directory, network: closed, logger }))).toContain(
        'unavailable',
      );
      expect(world.proxy.faults.requests).toBe(before);
    }
    const inside = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1'];
    expect(inside.map((address) => isPrivateAddress(address))).toEqual(inside.map(() => true));
    expect(['8.8.8.8', '2606:4700::1111'].map((address) => isPrivateAddress(address))).toEqual([
      false,
      false,
    ]);
  });

  it('that redirect are not followed, and an endless response is aborted', async () => {
    world.unwrapper.dropAccount(account.account.id);
    world.proxy.faults.answer = (reply) => reply.redirect(`${world.proxy.url}/elsewhere`, 307);
    const before = world.proxy.faults.requests;
    expect(await reason({})).toContain('unavailable');
    expect(world.proxy.faults.requests - before).toBeLessThanOrEqual(2);
    world.proxy.faults.answer = (reply) => reply.type('application/json').send(endless());
    expect(await reason({})).toContain('unavailable');
    world.proxy.faults.answer = undefined;
    expect(await reason({})).toBe('ok');
  });

  it('may move, but never change their public key', async () => {
    const state = {
      nowMs: 0,
      change: (server: RegisteredServer) => ({ ...server, url: 'http://127.0.0.1:1' }),
    };
    const client = rewrittenServers(world.client, (server) => state.change(server));
    const directory = new KeyServerDirectory({ client, packageId, logger, now: () => state.nowMs });
    const unwrapper = new KeyUnwrapper({ ...world, directory, network, logger });
    expect(await reason({}, unwrapper)).toContain('unavailable');

    state.change = (server) => server;
    expect(await reason({}, unwrapper)).toContain('unavailable');
    state.nowMs += 10 * 60_000;
    expect(await reason({}, unwrapper)).toBe('ok');

    state.change = (server) => ({ ...server, publicKey: new Uint8Array(96) });
    state.nowMs += 10 * 60_000;
    await expect(directory.snapshot(world.twoOfTwo)).rejects.toThrow(KeyServerChanged);
  });

  it('of an upgraded package id are rejected', async () => {
    const core = {
      getDynamicField: world.client.core.getDynamicField,
      getObject: async () => ({ object: { version: '2' } }),
    };
    const client = { core } as unknown as SealCompatibleClient;
    const directory = new KeyServerDirectory({ client, packageId, logger });
    await expect(directory.snapshot(world.twoOfTwo)).rejects.toThrow('first version');
  });
});

describe('server sets', () => {
  const [a, b] = ['0xa', '0xb'].map((objectId) => ({ objectId, weight: 1 })) as [
    { objectId: string; weight: number },
    { objectId: string; weight: number },
  ];

  it('have an id that depends on servers, weights and threshold, but not on order, spelling or address', () => {
    const id = makeServerSet({ servers: [a, b], threshold: 2 }).id;
    const long = { ...a, objectId: `0x${'A'.padStart(64, '0')}`, aggregatorUrl: 'https://x' };
    expect(makeServerSet({ servers: [b, long], threshold: 2 }).id).toBe(id);
    expect(makeServerSet({ servers: [a, b], threshold: 1 }).id).not.toBe(id);
    expect(makeServerSet({ servers: [a, { ...b, weight: 2 }], threshold: 2 }).id).not.toBe(id);
  });

  it('keep one entry when the current set is also historical', () => {
    const set = makeServerSet({ servers: [a, b], threshold: 2 });
    expect(makeServerSets(set, [makeServerSet({ servers: [b, a], threshold: 2 })]).all).toHaveLength(1);
  });

  it.each([
    ['no server', [], 1],
    ['a threshold of zero', [a], 0],
    ['a threshold above the total weight', [a, b], 3],
    ['a duplicate server', [a, { ...a, objectId: '0x0a' }], 1],
    ['a weight of zero', [{ ...a, weight: 0 }], 1],
    ['an API key without a name', [{ ...a, apiKey: 'k' }], 1],
    ['an invalid id', [{ ...a, objectId: 'server' }], 1],
  ])('with %s are rejected', (_name, servers, threshold) => {
    expect(() => makeServerSet({ servers, threshold })).toThrow(RangeError);
  });
});

describe('worker threads', () => {
  it('that cannot start fail their tasks instead of letting them wait', async () => {
    const pool = new SealPool({
      logger,
      threads: 1,
      module: new URL('./no-such-worker', import.meta.url),
    });
    const snapshot = await world.directory.snapshot(world.twoOfTwo);
    const tasks = [1, 2, 3].map(() => pool.wrapKey({ snapshot, identity: item.identity }));
    for (const task of await Promise.allSettled(tasks)) expect(task.status).toBe('rejected');
    await expect(pool.wrapKey({ snapshot, identity: item.identity })).rejects.toThrow();
    await pool.close();
  });
});
