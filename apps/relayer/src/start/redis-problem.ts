import { inTime } from '../base/redis/in-time.ts';
import { answerMs, codeOf } from './database-problem.ts';

/** Why Redis cannot be used, as a line that begins with its variable. */
export async function redisProblem(url: string): Promise<string | undefined> {
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    socket: { connectTimeout: answerMs, reconnectStrategy: false },
  }).on('error', () => undefined);
  try {
    await inTime(
      client.connect().then(() => client.ping()),
      answerMs,
    );
    return undefined;
  } catch (error) {
    // A Redis error begins with its code, such as `WRONGPASS` or `NOAUTH`
    const refusal = /^(WRONGPASS|NOAUTH|NOPERM)\b/.exec((error as Error).message)?.[1];
    return refusal
      ? `REDIS_URL: Redis refuses this user or password (${refusal})`
      : `REDIS_URL: Redis cannot be reached (${codeOf(error)})`;
  } finally {
    client.destroy();
  }
}
