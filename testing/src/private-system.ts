import { type PrivateSystem, startPrivateSystem as startOnFreePorts } from 'memrelay/system/private-system';

export type { PrivateSystem };

export interface PrivateSystemOptions {
  /** Replaces the embedded database */
  databaseUrl?: string;
  /** Replaces the embedded nonce store */
  redisUrl?: string;
  /** Additional variables of `memrelay up` */
  environment?: NodeJS.ProcessEnv;
  /** A part ended too often to be kept running */
  onGivenUp?: (reason: string) => void;
}

/**
 * Starts what a user has after `memrelay up`: the whole system (localnet, blob store, relayer, sidecar) on free ports and a
 * temporary directory, with an account and its credentials. `dispose` it. Throws if a part does not start.
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
