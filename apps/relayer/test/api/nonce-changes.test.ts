import { findRedis } from '@memrelay/dev-env/services/redis';
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { ahead, early, nonceWorld } from '../support/nonce-world.ts';

/** Whatever happens to the nonce store, an accepted request is never accepted again. */

// Without a redis-server on the machine there is nothing to change to
const suite = describe.skipIf(!findRedis());

suite.each(databases)('a change of the nonce store on $name', ({ create }) => {
  const world = nonceWorld(create);
  const { db, redisUrl, start, stop, seconds, captured, send, admin } = world;
  const { acceptedBy, refusesReplaysOf, anotherRedis, moveTo, until } = world;

  it('from the table to Redis and back rejects earlier requests', async () => {
    const table = await start(undefined);
    const first = await acceptedBy(table);
    await stop(table);
    const inRedis = await start(redisUrl());
    await refusesReplaysOf(first, inRedis);
    const second = captured(seconds() + early + 2 * ahead);
    await send(inRedis, second);
    await stop(inRedis);
    await refusesReplaysOf([...first, second], await start(undefined));
  });

  it('by FLUSHALL or FLUSHDB is detected at the next request, by each relayer', async () => {
    const client = await admin();
    const both = [await start(redisUrl()), await start(redisUrl())];
    const requests = await acceptedBy(both[0]!);
    await client.flushAll();
    await refusesReplaysOf(requests, ...both);
    const later = captured(seconds() + early + 3 * ahead);
    await send(both[0]!, later);
    await client.flushDb();
    await refusesReplaysOf([...requests, later], both[1]!, both[0]!);
  });

  it('by a flush between the check and the record of a nonce accepts none of many requests', async () => {
    const client = await admin();
    const store = await start(redisUrl());
    const requests = Array.from({ length: 50 }, () => captured());
    for (const request of requests) await send(store, request);
    const [, ...replays] = await Promise.allSettled([
      client.flushAll(),
      ...requests.map((request) => send(store, request)),
    ]);
    expect(
      replays.filter(
        ({ status, ...rest }) => status === 'fulfilled' && 'value' in rest && rest.value === 'fresh',
      ),
    ).toEqual([]);
  });

  it('by an empty server in its place is detected at the same address', async () => {
    const store = await start(redisUrl());
    const requests = await acceptedBy(store);
    await moveTo(await anotherRedis(), store);
    await refusesReplaysOf(requests, store);
  });

  it('by a server with an older copy of the same data is detected', async () => {
    const store = await start(redisUrl());
    await send(store, captured());
    const copy = await anotherRedis();
    // The contents of an earlier snapshot: the mark and older nonces
    const [from, to] = [await admin(), await admin(copy.url)];
    await to.set('memrelay:nonce-epoch', (await from.get('memrelay:nonce-epoch'))!);
    const requests = await acceptedBy(store);
    await moveTo(copy, store);
    await refusesReplaysOf(requests, store);
  });

  it('by an eviction is detected, even if the policy is changed at run time', async () => {
    const client = await admin();
    const store = await start(redisUrl());
    const requests = await acceptedBy(store);
    const { maxmemory } = await client.configGet('maxmemory');
    const used = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))![1]);
    await client.configSet({ 'maxmemory-policy': 'volatile-ttl', maxmemory: String(used + 200_000) });
    const evicted = async () => Number(/^evicted_keys:(\d+)/m.exec(await client.info('stats'))![1]);
    for (let i = 0; (await evicted()) === 0; i++)
      await client.set(`filler:${i}`, 'x'.repeat(10_000), { expiration: { type: 'EX', value: 5_000 } });
    for (const request of requests)
      await expect(send(store, request)).rejects.toMatchObject({ code: 'auth_unavailable' });
    await until(store, 'noeviction');
    await client.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: maxmemory! });
    await until(store, 'changed');
    await refusesReplaysOf(requests, store);
  });

  it('refuses requests for 310 s at most, when the clock of a relayer was a day ahead', async () => {
    const client = await admin();
    const store = await start(redisUrl());
    const day = 24 * 3_600;
    const atWrongTime = [captured(seconds() + day), captured(seconds() + 330)];
    for (const request of atWrongTime)
      await expect(send(store, request)).rejects.toMatchObject({ code: 'timestamp_out_of_window' });
    const request = captured(seconds() + 300);
    expect(await send(store, request)).toBe('fresh');
    await client.flushAll();
    await expect(send(store, request)).rejects.toMatchObject({ code: 'auth_unavailable' });
    await until(store, 'changed');
    const refusal = await send(store, request).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'auth_unavailable', retryAfter: expect.any(Number) });
    expect((refusal as { retryAfter: number }).retryAfter).toBeGreaterThan(290);
    expect((refusal as { retryAfter: number }).retryAfter).toBeLessThanOrEqual(311);
  });

  it('waits 10 s for clients with a right clock when no request of a wrong one was accepted', async () => {
    const client = await admin();
    const store = await start(redisUrl());
    expect(await send(store, captured())).toBe('fresh');
    await expect(send(store, captured(seconds() + 400))).rejects.toMatchObject({
      code: 'timestamp_out_of_window',
    });
    await client.flushAll();
    await expect(send(store, captured())).rejects.toMatchObject({ code: 'auth_unavailable' });
    await until(store, 'changed');
    expect(await send(store, captured(seconds() + ahead + 2))).toBe('fresh');
  });

  it('is not detected when relayers restart with the same store', async () => {
    for (const url of [undefined, redisUrl()]) {
      await db().query('DELETE FROM nonce_epoch');
      const before = await start(url);
      const request = captured();
      await send(before, request);
      await stop(before);
      const after = await start(url);
      expect(after.health()).toEqual({ ok: true });
      expect(await send(after, request)).toBe('seen');
      expect(await send(after, captured())).toBe('fresh');
      await stop(after);
    }
  });

  it("accepts the store of the previous version, which only knew Redis's run id", async () => {
    const runId = /^run_id:(\w+)/m.exec(await (await admin()).info('server'))![1];
    await db().query('INSERT INTO nonce_epoch (identity, signed_until) VALUES ($1, $2)', [
      `redis/${runId}`,
      seconds() + 360,
    ]);
    const store = await start(redisUrl());
    expect(await send(store, captured())).toBe('fresh');
  });
});

// The embedded database has one relayer
const shared = databases.filter(({ name }) => name === 'postgres');

suite.each(shared)('a change of the nonce store with several relayers on $name', ({ create }) => {
  const world = nonceWorld(create);
  const { db, redisUrl, start, stop, seconds, captured, send, refusesReplaysOf, anotherRedis } = world;

  it('is rejected for another database of the same Redis while relayers use the first', async () => {
    const first = await start(redisUrl());
    await expect(start(`${redisUrl()}/5`)).rejects.toThrow('keep their nonces in another Redis');
    expect(await send(first, captured())).toBe('fresh');
  });

  it('is rejected while relayers with the former store are alive', async () => {
    const table = await start(undefined);
    await expect(start(redisUrl())).rejects.toThrow('REDIS_URL: other running relayers on this database');
    expect(await send(table, captured())).toBe('fresh');
    await stop(table);
    const inRedis = await start(redisUrl());
    await expect(start(undefined)).rejects.toThrow('keep their nonces in Redis');
    const other = await anotherRedis();
    await expect(start(other.url)).rejects.toThrow('keep their nonces in another Redis');
    await send(inRedis, captured(seconds() + 2 * ahead));
  });

  it('succeeds when relayers with the former store were killed', async () => {
    const killed = await start(undefined);
    const request = captured();
    await send(killed, request);
    // As after `kill -9`, 15 seconds later
    await stop(killed);
    await db().query(
      "INSERT INTO nonce_user VALUES (gen_random_uuid(), 'table', now() - interval '16 seconds')",
    );
    await refusesReplaysOf([request], await start(redisUrl()));
  });

  it('leaves a relayer that did not detect it unable to accept requests', async () => {
    const behind = await start(undefined);
    const request = captured();
    await send(behind, request);
    // It pauses for a while, so others consider it dead
    await db().query("UPDATE nonce_user SET seen_at = now() - interval '1 hour'");
    const inRedis = await start(redisUrl());
    const later = captured(seconds() + 2 * ahead);
    expect(await send(inRedis, later)).toBe('fresh');
    await expect(send(behind, later)).rejects.toMatchObject({ code: 'auth_unavailable' });
    await expect(send(behind, captured(seconds() + 3 * ahead))).rejects.toMatchObject({
      code: 'auth_unavailable',
    });
    expect(behind.health().ok).toBe(false);
  });
});
