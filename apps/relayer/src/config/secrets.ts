import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isEmbedded } from '../db/open-database.ts';
import { ConfigError } from './read-config.ts';
import type { Variables } from './variables.ts';

/** The server's own secrets (security.md, "At rest"), newest first where a list is allowed. */
export interface Secrets {
  /** Seals the outbox */
  serverSecrets: readonly Buffer[];
  /** Keys the index: never changes for the life of a database */
  indexKey: Buffer;
  /** Ed25519 seeds; the first signs envelopes, all are trusted by readers */
  writerKeys: readonly Buffer[];
}

const names = {
  MEM_SERVER_SECRET: 'server-secret',
  MEM_INDEX_KEY: 'index-key',
  MEM_WRITER_KEYS: 'writer-key',
} as const;

/**
 * Takes the secrets from the environment. Only for the embedded database missing ones are generated as 0600 files
 * in `<MEM_DATA_DIR>/keys`; anywhere else a missing one throws `ConfigError`, because a key made up at boot would
 * be lost with the machine.
 */
export async function resolveSecrets(values: Variables): Promise<Secrets> {
  const missing = (Object.keys(names) as (keyof typeof names)[]).filter((name) => values[name] === undefined);
  if (missing.length > 0 && !isEmbedded(values.DATABASE_URL))
    throw new ConfigError(
      missing.map((name) => `${name} is required with this database: 32 random bytes as 64 hex digits`),
    );
  if (missing.length > 0 && values.MEM_DATA_DIR === undefined)
    throw new ConfigError(['MEM_DATA_DIR is required: generated keys are kept in its keys folder']);
  const get = async (name: keyof typeof names): Promise<readonly Buffer[]> =>
    values[name] ?? [await keyFile(join(values.MEM_DATA_DIR!, 'keys'), names[name])];
  const [serverSecrets, indexKeys, writerKeys] = await Promise.all([
    get('MEM_SERVER_SECRET'),
    get('MEM_INDEX_KEY'),
    get('MEM_WRITER_KEYS'),
  ]);
  return { serverSecrets, indexKey: indexKeys[0]!, writerKeys };
}

async function keyFile(directory: string, name: string): Promise<Buffer> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  try {
    const handle = await open(path, 'wx', 0o600);
    const key = randomBytes(32);
    await handle.writeFile(`${key.toString('hex')}\n`);
    await handle.sync();
    await handle.close();
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new ConfigError([`${path} is damaged: it must hold 64 hex digits`]);
  return Buffer.from(text, 'hex');
}
