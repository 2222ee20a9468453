import { createClient } from '@redis/client';
import { inTime } from '../base/redis/in-time.ts';
import { answerMs } from '../start/database-problem.ts';
import { redisProblem } from '../start/redis-problem.ts';
import { bytesText, clockFinding, type Finding, failed, ok, skipped, warning } from './finding.ts';

/** Checks the Redis of the nonces: eviction, persistence, memory, clock. */
export async function redisChecks(url: string | undefined, now: () => number = Date.now): Promise<Finding[]> {
  if (url === undefined) return [skipped('redis', 'REDIS_URL is not set: nonces are in the database')];
  const problem = await redisProblem(url);
  if (problem)
    return [
      failed(
        'redis',
        problem.replace(/^REDIS_URL: /, ''),
        'check that Redis runs and that REDIS_URL is right',
        'unreachable',
      ),
    ];
  const client = createClient({
    url,
    socket: { connectTimeout: answerMs, reconnectStrategy: false },
  }).on('error', () => undefined);
  try {
    await client.connect();
    const asked = now();
    // Not in a transaction: a full Redis refuses to queue commands
    const time: unknown = await inTime(client.sendCommand(['TIME']), answerMs);
    const [seconds, micros] = time as [string, string];
    const answered = now();
    const text = await inTime(client.info(), answerMs);
    const info = new Map(
      text.split('\r\n').flatMap((line) => {
        const at = line.indexOf(':');
        return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
      }),
    );
    const unixMs = Number(seconds) * 1000 + Number(micros) / 1000;
    return [
      ok('redis', `Redis ${info.get('redis_version')}`),
      eviction(info),
      persistence(info),
      memory(info),
      clockFinding('Redis', (asked + answered) / 2 - unixMs, (answered - asked) / 2),
    ];
  } finally {
    client.destroy();
  }
}

type Info = ReadonlyMap<string, string>;

function eviction(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('redis_eviction', 'nothing is evicted');
  const fix = 'run CONFIG SET maxmemory-policy noeviction, and set it in redis.conf';
  if (info.get('maxmemory') === '0')
    return warning('redis_eviction', `the policy is ${policy}, without effect while maxmemory is 0`, fix);
  return failed(
    'redis_eviction',
    `Redis may evict nonces (${policy}), so relayers refuse every signed request`,
    fix,
    'settings',
  );
}

function persistence(info: Info): Finding {
  const check = 'redis_persistence';
  if (info.get('aof_enabled') === '1')
    return info.get('aof_last_write_status') === 'ok'
      ? ok(check, 'append-only file')
      : failed(
          check,
          'the last write to the append-only file failed',
          'free disk space where Redis runs, and see its log',
        );
  if (info.get('rdb_last_bgsave_status') !== 'ok')
    return failed(check, 'the last snapshot failed', 'free disk space where Redis runs, and see its log');
  return warning(
    check,
    'no append-only file: after a restart of Redis, signed requests get 503 for up to 310 seconds',
    'run CONFIG SET appendonly yes, and set it in redis.conf',
  );
}

function memory(info: Info): Finding {
  const most = Number(info.get('maxmemory') ?? 0);
  const used = Number(info.get('used_memory') ?? 0);
  if (most === 0) return ok('redis_memory', `${bytesText(used)}, without a limit`);
  const text = `${bytesText(used)} of ${bytesText(most)}`;
  return used > 0.9 * most
    ? failed(
        'redis_memory',
        `${text}: when it is full, relayers refuse every signed request`,
        'raise maxmemory, or lower BLOB_CACHE_TTL_SECS',
      )
    : ok('redis_memory', text);
}
