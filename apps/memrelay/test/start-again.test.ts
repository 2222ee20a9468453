import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Ended,
  ownEnvironment,
  type RunningCommand,
  startCommand,
  startLocalSystem,
} from './running-command.ts';

/** What a later start of the local system finds, and repairs. */

let home: string;
let environment: Record<string, string>;
let system: RunningCommand;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-again-'));
  environment = await ownEnvironment(home);
  system = await startLocalSystem(environment);
});
afterAll(async () => {
  await stop();
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

const patience = { timeout: 60_000, interval: 500 };

const memrelay = (...args: string[]): Promise<Ended> => startCommand(args, environment).ended;

async function stop(): Promise<void> {
  system.child.kill('SIGTERM');
  await system.ended;
}

/** Stops the system, starts it again, and returns what it says when it is ready. */
async function startAgain(): Promise<Record<string, unknown>> {
  await stop();
  system = await startLocalSystem(environment);
  return JSON.parse((await system.printed(/"event":"ready".*\n/)).trim());
}

const publicKey = async (): Promise<string> =>
  JSON.parse(await readFile(join(home, 'data', 'credentials.json'), 'utf8')).delegatePublicKey;

it('reports at a second start that it is already running, and where', async () => {
  const second = await memrelay('up');
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toContain('memrelay is already running on this data directory.');
  expect(second.stdout).toContain(`\n  Relayer      http://127.0.0.1:${environment.PORT}\n`);
  expect(second.stdout).toContain(`\n  Blob store   http://127.0.0.1:${environment.BLOBSTORE_PORT}\n`);
  expect(second.stdout).toMatch(/^ {2}http:\/\/127\.0\.0\.1:\d+\/#pairing=/m);
  const { urls, ...told } = JSON.parse((await memrelay('up', '--json')).stdout);
  expect(told).toMatchObject({ event: 'already_running', data_dir: join(home, 'data') });
  // What a browser finds there is a page, not an error
  for (const url of Object.values(urls as Record<string, string>)) {
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')], url).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ]);
  }
  expect(Object.keys(urls).sort()).toEqual(['blobstore', 'dashboard', 'localnet', 'relayer']);
});

it('makes a new key when its own was revoked, and finds the memories with it', async () => {
  expect((await memrelay('remember', 'Ana takes lemon in her tea')).code).toBe(0);
  const before = await publicKey();
  expect((await memrelay('delegate', 'revoke', 'memrelay up', '--yes')).code).toBe(0);
  // The relayer learns of a revocation from the chain, within 5 s
  const doctor = () => memrelay('doctor', '--json');
  await expect
    .poll(async () => (await doctor()).stdout, patience)
    .toContain('restart that: it creates a new one');
  expect((await doctor()).code).toBe(4);
  expect(await startAgain()).toMatchObject({ key_renewed: true });
  expect(await publicKey()).not.toBe(before);
  expect((await memrelay('recall', 'tea')).stdout).toContain('Ana takes lemon in her tea');
  expect(await startAgain()).not.toHaveProperty('key_renewed');
});

it('starts with an account that is switched off, so that it can be switched on', async () => {
  expect((await memrelay('account', 'deactivate', '--yes')).code).toBe(0);
  expect(await startAgain()).toMatchObject({ account_active: false });
  expect((await memrelay('account', 'reactivate', '--yes')).code).toBe(0);
  await expect
    .poll(async () => (await memrelay('recall', 'tea')).stdout, patience)
    .toContain('Ana takes lemon in her tea');
});

it('starts with a revoked key and an account that is switched off, and repairs the key after it is on', async () => {
  const before = await publicKey();
  expect((await memrelay('delegate', 'revoke', 'memrelay up', '--yes')).code).toBe(0);
  expect((await memrelay('account', 'deactivate', '--yes')).code).toBe(0);
  expect(await startAgain()).toMatchObject({ account_active: false });
  expect((await memrelay('account', 'reactivate', '--yes')).code).toBe(0);
  expect(await startAgain()).toMatchObject({ key_renewed: true });
  expect(await publicKey()).not.toBe(before);
});

it('starts without credentials while the account is switched off, and adds a key after it is on', async () => {
  expect((await memrelay('account', 'deactivate', '--yes')).code).toBe(0);
  await stop();
  await rm(join(home, 'data', 'credentials.json'));
  system = await startLocalSystem(environment);
  expect((await memrelay('account', 'reactivate', '--yes')).code).toBe(0);
  expect(await startAgain()).toMatchObject({ key_renewed: true });
  expect((await memrelay('recall', 'tea')).stdout).toContain('Ana takes lemon in her tea');
});
