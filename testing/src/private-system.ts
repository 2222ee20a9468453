import { type PrivateSystem, startPrivateSystem as startOnFreePorts } from 'memrelay/system/private-system';

export type { PrivateSystem };

export interface PrivateSystemOptions {
  /** Instead of the embedded database */
  databaseUrl?: string;
  /** Instead of the embedded nonce store */
  redisUrl?: string;
  /** Additional variables, as `memrelay up` takes them */
  environment?: NodeJS.ProcessEnv;
  /** A part ended too often to be kept running */
  onGivenUp?: (reason: string) => void;
}

/**
 * The whole system (localnet, blob store, relayer, sidecar) on free ports and a temporary directory, with an account
 * and its credentials: what a user has after `memrelay up`. `dispose` it. Throws when a part does not start.
 */
export function startPrivateSystem(options: PrivateSystemOptions = {}): Promise<PrivateSystem> {
  const { PATH, HOME, TMPDIR } = process.env;
  return startOnFreePorts({
    environment: {
      PATH,
      HOME,
      TMPDIR,
      ...(options.databaseUrl ? { DATABASE_URL: options.databaseUrl } : {}),
      ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
      ...options.environment,
    },
    ...(options.onGivenUp ? { onGivenUp: options.onGivenUp } : {}),
  });
}
