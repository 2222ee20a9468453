import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Environment, readVariables } from '../../src/base/config/read-config.ts';
import { loadConfig } from '../../src/config/config.ts';

const key = (digit: string): string => digit.repeat(64);

/** Without secrets. */
const enough: Environment = {
  MEM_PACKAGE_ID: `0x${key('a')}`,
  MEM_REGISTRY_ID: `0x${key('b')}`,
  SIDECAR_AUTH_TOKEN: 'a-token-of-16-up',
};

describe('secrets of the embedded database', () => {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
  });
  async function embedded(): Promise<{ directory: string; environment: Environment }> {
    const directory = await mkdtemp(join(tmpdir(), 'memrelay-config-'));
    directories.push(directory);
    return {
      directory,
      environment: { ...enough, DATABASE_URL: `pglite:${directory}/db`, MEM_DATA_DIR: directory },
    };
  }

  test('are generated once, in files that only their owner can read', async () => {
    const { directory, environment } = await embedded();
    const first = (await loadConfig(environment)).config.secrets;
    expect((await loadConfig(environment)).config.secrets).toEqual(first);
    const keys = join(directory, 'keys');
    expect((await stat(keys)).mode & 0o777).toBe(0o700);
    expect((await readdir(keys)).sort()).toEqual(['index-key', 'server-secret', 'writer-key']);
    for (const name of await readdir(keys)) expect((await stat(join(keys, name))).mode & 0o777).toBe(0o600);
  });

  test('are not generated where they are set, and not replaced if their file is damaged', async () => {
    const { directory, environment } = await embedded();
    const { config } = await loadConfig({ ...environment, MEM_INDEX_KEY: key('9') });
    expect(config.secrets.indexKey.toString('hex')).toBe(key('9'));
    expect(await readdir(join(directory, 'keys'))).not.toContain('index-key');
    await writeFile(join(directory, 'keys', 'writer-key'), '');
    await expect(loadConfig(environment)).rejects.toThrow('writer-key is damaged');
  });

  test('require a directory', async () => {
    const { environment } = await embedded();
    expect(() => readVariables({ ...environment, MEM_DATA_DIR: '' })).toThrow(/^\s*MEM_DATA_DIR/m);
  });
});
