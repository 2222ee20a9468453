import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemRelay, MemRelayError } from '../src/public.ts';
import { bundleClient } from './bundled-client.ts';

const address = (digit: string): string => `0x${digit.repeat(64)}`;
const credentials = {
  delegatePrivateKey: '11'.repeat(32),
  delegatePublicKey: 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
  delegateAddress: address('2'),
  walletAddress: address('3'),
  accountId: address('4'),
  packageId: address('5'),
  relayerUrl: 'http://127.0.0.1:9',
  label: 'test',
  createdAt: '2026-03-02T10:00:00Z',
};

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sdk-connect-'));
  vi.stubEnv('HOME', home);
  vi.stubEnv('MEM_DATA_DIR', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

it('connects with the credentials of the local system, and with those at a path', async () => {
  await expect(MemRelay.connect()).rejects.toMatchObject({ code: 'invalid_credentials' });
  writeFileSync(join(home, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
  const found = await MemRelay.connect();
  expect(found.accountId).toBe(credentials.accountId);
  const path = join(home, 'other.json');
  writeFileSync(path, JSON.stringify({ ...credentials, accountId: address('6') }), { mode: 0o600 });
  const other = await MemRelay.connect({ credentials: path, namespace: 'work' });
  expect(other.accountId).toBe(address('6'));
  for (const client of [found, other]) client.destroy();
});

it('rejects in code bundled for a browser, which contains no Node module', async () => {
  await using bundled = await bundleClient('public.ts');
  expect(bundled.code).not.toMatch(/node:|from\s*["']fs/);
  writeFileSync(join(home, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
  const page = (await import(pathToFileURL(bundled.file).href)) as { MemRelay: typeof MemRelay };
  await expect(page.MemRelay.connect()).rejects.toMatchObject({
    name: MemRelayError.name,
    code: 'invalid_credentials',
  });
});
