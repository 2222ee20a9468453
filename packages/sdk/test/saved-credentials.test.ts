import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newPairingCode, pairingNonce, readLocalDashboard } from '../src/local-dashboard-node.ts';
import { saveCredentials, signInCredentialsPath } from '../src/save-credentials-node.ts';
import { trustPath } from '../src/trusted-origins-node.ts';

const credentials = {
  delegatePrivateKey: '1'.repeat(64),
  delegatePublicKey: '2'.repeat(64),
  delegateAddress: `0x${'3'.repeat(64)}`,
  walletAddress: `0x${'4'.repeat(64)}`,
  accountId: `0x${'5'.repeat(64)}`,
  packageId: `0x${'6'.repeat(64)}`,
  relayerUrl: 'http://127.0.0.1:8000',
  label: 'test',
  createdAt: '2026-01-01T00:00:00.000Z',
};

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sign-in-'));
  vi.stubEnv('HOME', home);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

it('writes a credential file atomically, readable only by its owner, and restricts its directory', async () => {
  const path = signInCredentialsPath();
  await mkdir(dirname(path), { mode: 0o755 });
  await writeFile(path, 'the former', { mode: 0o644 });
  await saveCredentials(path, credentials);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(credentials);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  expect(await readdir(dirname(path))).toEqual(['credentials.json']);
});

it('an empty HOME does not mean the working directory', () => {
  vi.stubEnv('HOME', '');
  for (const path of [signInCredentialsPath(), trustPath()]) expect(isAbsolute(path), path).toBe(true);
});

it('incomplete credentials replace nothing', async () => {
  const path = signInCredentialsPath();
  await saveCredentials(path, credentials);
  await expect(saveCredentials(path, { ...credentials, accountId: '0x1' })).rejects.toThrow('accountId');
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(credentials);
});

it('a pairing code is valid only for its token and its time', async () => {
  const token = 'a'.repeat(64);
  const end = new Date(1_900_000_000_000);
  const code = newPairingCode(token, end);
  expect(pairingNonce(token, code, end.getTime())).toEqual({
    nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(pairingNonce(token, code, end.getTime() + 1_000)).toBe('expired');
  expect(pairingNonce('b'.repeat(64), code, end.getTime())).toBeUndefined();
  const later = Buffer.from(code, 'base64url').fill(0xff, 16, 20).toString('base64url');
  expect(pairingNonce(token, later, end.getTime())).toBeUndefined();
  expect(pairingNonce(token, 'x')).toBeUndefined();
});

it('a missing or incomplete dashboard file means no dashboard', async () => {
  expect(await readLocalDashboard(home)).toBeUndefined();
  await writeFile(join(home, 'dashboard.json'), '{"url": "http://127.0.0.1:5173", "token": "short"}');
  expect(await readLocalDashboard(home)).toBeUndefined();
});
