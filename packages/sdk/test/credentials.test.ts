import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { credentialFileSchema } from '@memrelay/protocol/credential-file';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkCredentials } from '../src/credentials.ts';
import { loadCredentials } from '../src/credentials-node.ts';
import { dataDir } from '../src/data-dir-node.ts';
import { MemRelay } from '../src/mem-relay.ts';
import { accountId, packageId, rejection, startWire, testKey } from './wire-double.ts';

const credentials = {
  delegatePrivateKey: testKey,
  delegatePublicKey: 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
  delegateAddress: `0x${'0d'.repeat(32)}`,
  walletAddress: `0x${'0e'.repeat(32)}`,
  accountId,
  packageId,
  relayerUrl: 'http://127.0.0.1:8000',
  label: 'laptop',
  createdAt: '2026-01-02T03:04:05Z',
};

describe('checkCredentials', () => {
  const cases: unknown[] = [
    credentials,
    { ...credentials, more: 1 },
    { ...credentials, relayerUrl: 'https://relayer.example/memory' },
    { ...credentials, relayerUrl: 'ftp://relayer.example' },
    { ...credentials, relayerUrl: 'javascript:void' },
    null,
    [],
    'text',
    {},
    ...Object.keys(credentials).flatMap((name) =>
      [undefined, null, 7, '', '0x12', `${'ab'.repeat(32)}\n`].map((value) => ({
        ...credentials,
        [name]: value,
      })),
    ),
  ];

  it("agrees with the protocol's schema", () => {
    for (const file of cases) {
      let accepted = true;
      try {
        checkCredentials(file);
      } catch {
        accepted = false;
      }
      expect(accepted, inspect(file)).toBe(credentialFileSchema.safeParse(file).success);
    }
  });

  it('names the invalid fields and no value', () => {
    const secret = 'deadbeef'.repeat(7);
    const check = () => checkCredentials({ ...credentials, delegatePrivateKey: secret, accountId: 'acc' });
    expect(check).toThrow(/delegatePrivateKey must be 64 hex characters; accountId must be 0x/);
    expect(check).not.toThrow(/deadbeef/);
    const elsewhere = { ...credentials, relayerUrl: 'ftp://relayer.example' };
    expect(() => checkCredentials(elsewhere)).toThrow(/relayerUrl must be an http or https URL/);
  });
});

describe('fromCredentials', () => {
  it('creates a client for the relayer of the file, or that of the overrides', async () => {
    await using wire = await startWire([{ json: {} }]);
    await MemRelay.fromCredentials({ ...credentials, relayerUrl: wire.url }).account();
    await MemRelay.fromCredentials(credentials, { serverUrl: wire.url, namespace: 'n' }).remember('t');
    expect(wire.seen.map(({ headers }) => headers['x-account-id'])).toEqual([accountId, accountId]);
    expect(wire.seen[1]!.json.namespace).toBe('n');
  });

  it('rejects halves of different keys', () => {
    const mixed = { ...credentials, delegatePublicKey: 'ab'.repeat(32) };
    expect(() => MemRelay.fromCredentials(mixed)).toThrow(/do not match/);
  });
});

describe('loadCredentials', () => {
  let home: string;
  let dataDirectory: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'sdk-credentials-'));
    dataDirectory = join(home, 'data');
    vi.stubEnv('HOME', home);
    vi.stubEnv('USERPROFILE', home);
    vi.stubEnv('MEM_DATA_DIR', dataDirectory);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true });
  });

  async function save(path: string, content: unknown, mode = 0o600) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    await chmod(path, mode);
    return path;
  }
  const labelled = (label: string) => ({ ...credentials, label });
  const loadedLabel = async (path?: string) => (await loadCredentials(path)).label;

  it('prefers the named file, then ~/.mem, then the data directory', async () => {
    await save(join(dataDirectory, 'credentials.json'), labelled('data'));
    expect(await loadedLabel()).toBe('data');
    await save(join(home, '.mem', 'credentials.json'), labelled('mem'));
    expect(await loadedLabel()).toBe('mem');
    const named = await save(join(home, 'named.json'), labelled('named'));
    expect(await loadedLabel(named)).toBe('named');
  });

  it('reports where it looked when there is none', async () => {
    const nowhere = await rejection(loadCredentials());
    expect(nowhere).toMatchObject({ code: 'invalid_credentials' });
    expect(nowhere.message).toContain(join(home, '.mem', 'credentials.json'));
    expect(nowhere.message).toContain(join(dataDirectory, 'credentials.json'));
    expect((await rejection(loadCredentials(join(home, 'gone.json')))).message).toContain('gone.json');
  });

  it('stops at a malformed file instead of trying the next, and does not quote it', async () => {
    await save(join(dataDirectory, 'credentials.json'), labelled('data'));
    const path = join(home, '.mem', 'credentials.json');
    await save(path, `{"delegatePrivateKey":"${testKey}",`);
    const broken = await rejection(loadCredentials());
    expect(broken.message).toContain(`${path} is not valid JSON`);
    expect(inspect(broken, { depth: 9 })).not.toContain('1111');
    await save(path, { ...credentials, accountId: undefined });
    expect((await rejection(loadCredentials())).message).toContain('accountId must be');
  });

  it('rejects a file that others can read, unless configured otherwise', async () => {
    const path = await save(join(home, 'open.json'), credentials, 0o640);
    const error = await rejection(loadCredentials(path));
    expect(error.message).toContain(`(mode 640). Run: chmod 600 ${path}`);
    expect((await loadCredentials(path, { allowOpenPermissions: true })).label).toBe('laptop');
  });

  it('reports a path that is not a readable file', async () => {
    const error = await rejection(loadCredentials(home));
    expect(error).toMatchObject({ code: 'invalid_credentials' });
    expect(error.message).toBe(`${home} is a directory. Move it away.`);
    await symlink('loop', join(home, 'loop'));
    expect((await rejection(loadCredentials(join(home, 'loop')))).message).toContain('ELOOP');
  });
});

describe('dataDir', () => {
  const on = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv) => dataDir(env, platform, '/home/me');
  it('follows the platform', () => {
    expect(on('linux', {})).toBe('/home/me/.local/share/memrelay');
    expect(on('linux', { XDG_DATA_HOME: '/xdg' })).toBe('/xdg/memrelay');
    expect(on('linux', { XDG_DATA_HOME: 'relative' })).toBe('/home/me/.local/share/memrelay');
    expect(on('darwin', {})).toBe('/home/me/Library/Application Support/memrelay');
    expect(on('win32', { LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local' })).toBe(
      'C:\\Users\\me\\AppData\\Local\\memrelay',
    );
    expect(on('win32', { MEM_DATA_DIR: '/data' })).toBe('/data');
  });
});
