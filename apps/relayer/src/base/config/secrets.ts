import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hex32Pattern } from '@memrelay/protocol/bytes';
import { ConfigError } from './config-error.ts';
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

/**
 * Takes the secrets from the environment. Those that `readVariables` let be absent are generated as 0600 files in
 * `<MEM_DATA_DIR>/keys`. Throws `ConfigError` when such a file is damaged.
 */
export async function resolveSecrets(values: Variables): Promise<Secrets> {
  const generated = (name: string): Promise<Buffer> => keyFile(join(values.MEM_DATA_DIR!, 'keys'), name);
  const [serverSecrets, indexKeys, writerKeys] = await Promise.all([
    values.MEM_SERVER_SECRET ?? generated('server-secret').then((key) => [key]),
    values.MEM_INDEX_KEY ?? generated('index-key').then((key) => [key]),
    values.MEM_WRITER_KEYS ?? generated('writer-key').then((key) => [key]),
  ]);
  return { serverSecrets, indexKey: indexKeys[0]!, writerKeys };
}

async function keyFile(directory: string, name: string): Promise<Buffer> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const key = randomBytes(32);
  try {
    // Written completely, then renamed: a killed process leaves no partial key, and of two processes the first wins
    const handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(`${key.toString('hex')}\n`);
    await handle.sync();
    await handle.close();
    await link(temporary, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (!hex32Pattern.test(text)) throw new ConfigError([`${path} is damaged: it must hold 64 hex digits`]);
  return Buffer.from(text, 'hex');
}
