import { findRedis, startRedis } from '@memrelay/dev-env/services/redis';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redisChecks } from '../../src/doctor/redis-checks.ts';

describe.skipIf(findRedis() === undefined)('the doctor of Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let admin: ReturnType<typeof createClient>;
  beforeAll(async () => {
    redis = await startRedis();
    admin = createClient({ url: redis.url });
    await admin.connect();
  });
  afterAll(async () => {
    admin?.destroy();
    await redis?.stop();
  });
  beforeEach(async () => {
    await admin.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: '0', appendonly: 'yes' });
    await expect.poll(() => admin.info('persistence')).toContain('aof_rewrite_in_progress:0');
  });

  const found = async (check: string) =>
    (await redisChecks(redis.url)).filter((finding) => finding.check === check);

  it('finds nothing wrong with one that keeps everything', async () => {
    const findings = await redisChecks(redis.url);
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      'redis',
      'redis_eviction',
      'redis_persistence',
      'redis_memory',
      'clock',
    ]);
  });

  it('reports a policy that may evict nonces: an error only with a limit of memory', async () => {
    await admin.configSet({ 'maxmemory-policy': 'allkeys-lru' });
    expect(await found('redis_eviction')).toMatchObject([{ state: 'warning' }]);
    await admin.configSet({ maxmemory: '100mb' });
    expect(await found('redis_eviction')).toMatchObject([
      { state: 'failed', fix: expect.stringContaining('maxmemory-policy noeviction') },
    ]);
  });

  it('reports a Redis that is almost full', async () => {
    await admin.configSet({ maxmemory: '1000kb' });
    expect(await found('redis_memory')).toMatchObject([{ state: 'failed' }]);
  });

  it('reports that nothing is written to disk', async () => {
    await admin.configSet({ appendonly: 'no' });
    expect(await found('redis_persistence')).toMatchObject([
      { state: 'warning', fix: expect.stringContaining('appendonly yes') },
    ]);
  });

  it('reports a Redis that cannot be reached, and needs none', async () => {
    expect(await redisChecks('redis://127.0.0.1:1')).toMatchObject([
      { state: 'failed', cause: 'unreachable', detail: expect.stringContaining('ECONNREFUSED') },
    ]);
    expect(await redisChecks(undefined)).toMatchObject([{ state: 'skipped' }]);
  });
});
