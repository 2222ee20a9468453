import { join } from 'node:path';

/** Paths in the data directory of a local system. */
export function systemPaths(dataDir: string) {
  return {
    wallet: join(dataDir, 'wallet.json'),
    credentials: join(dataDir, 'credentials.json'),
    ports: join(dataDir, 'ports.json'),
    keys: join(dataDir, 'keys'),
    database: join(dataDir, 'database'),
    localnet: join(dataDir, 'localnet'),
    blobstore: join(dataDir, 'blobstore'),
    imports: join(dataDir, 'imports'),
  };
}

export type SystemPaths = ReturnType<typeof systemPaths>;
