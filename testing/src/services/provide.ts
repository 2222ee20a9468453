import { findChromium } from './chromium.ts';
import { installMissing, type Missing } from './install.ts';
import { startPostgres } from './postgres.ts';
import { withProgress } from './progress.mjs';
import { startRedis } from './redis.ts';
import type { RunningService } from './service.ts';

export interface ProvidedServices {
  /** Undefined if the machine has no Postgres; then only the embedded defaults can be tested. */
  postgres: RunningService | undefined;
  redis: RunningService | undefined;
  chromium: string | undefined;
  missing: Missing;
  /** The variables through which tests find the services. */
  environment: Record<string, string>;
  /** Stops all of them and removes their files. */
  stop(): Promise<void>;
}

/** Installs what is missing where possible, and starts a Postgres and a Redis for this run alone. */
export async function provideServices(): Promise<ProvidedServices> {
  const missing = await installMissing();
  const lacks = (name: string) => missing.some((line) => line.startsWith(name));
  const [postgres, redis] = await withProgress('Starting Postgres and Redis', () =>
    startAll([
      lacks('Postgres') || lacks('pgvector') ? undefined : startPostgres,
      lacks('Redis') ? undefined : startRedis,
    ]),
  );
  const chromium = findChromium();
  return {
    postgres,
    redis,
    chromium,
    missing,
    environment: {
      ...(postgres && { MEMRELAY_TEST_DATABASE_URL: postgres.url }),
      ...(redis && { MEMRELAY_TEST_REDIS_URL: redis.url }),
      ...(chromium && { MEMRELAY_TEST_CHROMIUM: chromium }),
    },
    async stop() {
      await Promise.all([postgres?.stop(), redis?.stop()]);
    },
  };
}

type Start = () => Promise<RunningService>;

/** Starts all services. If one does not start, the others are stopped before its error is thrown. */
async function startAll(
  starts: ReadonlyArray<Start | undefined>,
): Promise<Array<RunningService | undefined>> {
  const results = await Promise.allSettled(starts.map((start) => start?.()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    for (const result of results) if (result.status === 'fulfilled') await result.value?.stop();
    throw failed.reason;
  }
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
}
