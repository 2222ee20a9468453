import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectedWallet } from '../../src/sign-in/expected-wallet.ts';
import { keys } from '../stdio/machine.ts';

const id = (digit: string): string => `0x${digit.repeat(64)}`;
const own = 'http://127.0.0.1:8000';
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'expected-wallet-'));
});
afterEach(() => rm(directory, { recursive: true }));

const writeCredentials = (change: object = {}): Promise<void> =>
  writeSecretFile(
    join(directory, 'credentials.json'),
    JSON.stringify({
      delegatePrivateKey: keys[0][0],
      delegatePublicKey: keys[0][1],
      delegateAddress: id('2'),
      walletAddress: id('B'),
      accountId: id('4'),
      packageId: id('5'),
      relayerUrl: own,
      label: 'memrelay up',
      createdAt: '2026-03-02T10:00:00Z',
      ...change,
    }),
  );
const writeDashboard = (): Promise<void> =>
  writeSecretFile(
    join(directory, 'dashboard.json'),
    JSON.stringify({ url: 'http://127.0.0.1:5173', relayerUrl: own, token: 'd'.repeat(64) }),
  );

it.each<[string, string, () => Promise<void>, string | undefined]>([
  [
    'its own relayer by any name of this machine expects its wallet',
    'http://localhost:8000/',
    writeCredentials,
    id('b'),
  ],
  ['another port is another system', 'http://127.0.0.1:8001', writeCredentials, undefined],
  ['a relayer elsewhere has no wallet to expect', 'https://relayer.example', writeCredentials, undefined],
  ['without a local system none is expected', own, async () => {}, undefined],
  [
    'a system that runs with a wallet and no credentials yet expects its wallet',
    own,
    async () => {
      await writeDashboard();
      await writeSecretFile(join(directory, 'wallet.json'), JSON.stringify({ address: id('C') }));
    },
    id('c'),
  ],
  [
    'a system that runs on other ports than before is known by what runs',
    own,
    async () => {
      await writeCredentials({ relayerUrl: 'http://127.0.0.1:9999' });
      await writeDashboard();
    },
    id('b'),
  ],
])('%s', async (_, relayerUrl, prepare, wallet) => {
  await prepare();
  expect(await expectedWallet(relayerUrl, directory)).toBe(wallet);
});

it('starts no sign-in for a local system whose wallet cannot be read', async () => {
  const unknown = { code: 'local_wallet_unknown' };
  await writeDashboard();
  await expect(expectedWallet(own, directory)).rejects.toMatchObject(unknown);
  await writeFile(join(directory, 'credentials.json'), '{}', { mode: 0o600 });
  await expect(expectedWallet(own, directory)).rejects.toMatchObject(unknown);
  await writeCredentials();
  await chmod(join(directory, 'credentials.json'), 0o644);
  await expect(expectedWallet(own, directory)).rejects.toMatchObject(unknown);
});
