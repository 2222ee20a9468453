import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  type Ended,
  endWithin,
  ownEnvironment,
  type RunningCommand,
  startCommand,
  startLocalSystem,
} from './running-command.ts';

/** Owner commands on the local system. */

let home: string;
let environment: Record<string, string>;
let system: RunningCommand;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-owner-'));
  environment = await ownEnvironment(home);
  system = await startLocalSystem(environment);
});
afterAll(async () => {
  system.child.kill('SIGTERM');
  await system.ended;
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

/** A command takes 0.6 s of processor time, and 11 s were seen at 14 processes per processor. */
const commandMs = 60_000;
/** A test runs up to 20 commands in turn: each has its own limit, and all of them more than a busy machine takes. */
vi.setConfig({ testTimeout: 10 * commandMs });

const memrelay = (...args: string[]): Promise<Ended> => endWithin(startCommand(args, environment), commandMs);

/** Runs a command with `--json`, expects success, returns its result. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered
async function json(...args: string[]): Promise<any> {
  const ended = await memrelay(...args, '--json');
  expect(ended.stderr + ended.stdout).not.toContain('"error"');
  expect(ended.code).toBe(0);
  return JSON.parse(ended.stdout.trim().split('\n').at(-1)!);
}

async function newWallet(name: string, text: string): Promise<string> {
  const path = join(home, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

it('adds a delegate with limits, which works within them, and revokes it', async () => {
  const added = await json(
    'delegate',
    'add',
    '--label',
    'Read only',
    '--can',
    'read',
    '--in',
    'notes',
    '--yes',
  );
  const path = join(home, 'data', 'delegates', 'read-only.json');
  expect(added).toMatchObject({ paid_by: 'sponsor', credentials_path: path });
  expect((await stat(path)).mode & 0o777).toBe(0o600);

  const { delegates } = await json('delegate', 'list');
  expect(delegates).toHaveLength(2);
  expect(delegates[1]).toMatchObject({
    label: 'Read only',
    may: 'read in 1 namespace, without an end',
    proven: true,
  });

  await json('remember', 'kept in the notes', '--namespace', 'notes');
  const recall = ['recall', 'what is kept?', '--credentials', path, '--namespace'];
  expect((await json(...recall, 'notes')).results[0].text).toBe('kept in the notes');
  const elsewhere = await memrelay(...recall, 'default', '--json');
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ error: 'insufficient_scope', exit_code: 4 });
  const writing = await memrelay('remember', 'x', '--namespace', 'notes', '--credentials', path, '--json');
  expect(JSON.parse(writing.stdout)).toMatchObject({ error: 'insufficient_scope' });

  await json('delegate', 'revoke', 'Read only', '--yes');
  expect((await json('account', 'show')).delegates).toHaveLength(1);
  expect((await json('account', 'show')).key_epoch).toBeGreaterThan(0);
});

it('shows an expired delegate as such, and removes it', async () => {
  // The relayer has no occasion to do it first, because nothing is stored here
  const endMs = Date.now() + 15_000;
  const expires = new Date(endMs).toISOString();
  const added = await json('delegate', 'add', '--label', 'Guest', '--expires', expires, '--yes');
  const guest = async () =>
    (await json('delegate', 'list')).delegates.find((each: { label: string }) => each.label === 'Guest');
  // Not by asking again and again: each command starts a process
  await expect.poll(Date.now).toBeGreaterThan(endMs);
  expect(await guest()).toMatchObject({ expired: true });
  const epoch = (await json('account', 'show')).key_epoch;
  expect(await json('delegate', 'prune', '--yes')).toMatchObject({ pruned: [added.public_key] });
  expect(await guest()).toBeUndefined();
  expect((await json('account', 'show')).key_epoch).toBe(epoch + 1);
  expect(await json('delegate', 'prune', '--yes')).toEqual({ pruned: [] });
});

it('creates an account for another wallet, transfers it, and works for its new owner', async () => {
  const credentials = join(home, 'data', 'credentials.json');
  const { relayerUrl } = JSON.parse(await readFile(credentials, 'utf8'));
  const alice = await newWallet('alice', 'a1'.repeat(32));
  const bob = await newWallet('bob.json', JSON.stringify({ privateKey: 'b0'.repeat(32) }));
  const at = (wallet: string) => ['--wallet', wallet, '--server', relayerUrl, '--yes'];
  const { account_id: account } = await json('account', 'create', ...at(alice));
  const refusal = async (...args: string[]) => JSON.parse((await memrelay(...args, '--json')).stdout);
  expect(await refusal('account', 'create', ...at(alice))).toMatchObject({ exit_code: 2 });
  expect(await refusal('account', 'accept', '--account', account, ...at(bob))).toMatchObject({
    error: 'not_offered',
  });
  expect(await refusal('key', 'rotate', '--account', account, ...at(bob))).toMatchObject({
    error: 'not_owner',
  });

  const { owner: aliceAddress } = await json('account', 'show', ...at(alice));
  expect(aliceAddress).toMatch(/^0x[0-9a-f]{64}$/);
  const bobAccount = await json('account', 'create', ...at(bob));
  const bobAddress = (await json('account', 'show', '--account', bobAccount.account_id, ...at(bob))).owner;
  await json('account', 'transfer', bobAddress, ...at(alice));
  await json('account', 'accept', '--account', account, ...at(bob));
  expect(await json('account', 'show', '--account', account, ...at(bob))).toMatchObject({
    owner: bobAddress,
    origin: aliceAddress,
    delegates: [],
  });
  const out = join(home, 'bob-laptop.json');
  await json('delegate', 'add', '--label', 'laptop', '--out', out, '--account', account, ...at(bob));
  await json('remember', 'the account is in new hands', '--credentials', out);
  expect((await json('recall', 'whose hands?', '--credentials', out)).results).toHaveLength(1);
});

it('lists and deletes blobs by their ids, or by the id of the memory in them', async () => {
  const { id, blob_id: blobId } = await json('remember', 'soon to be deleted', '--namespace', 'gone');
  const { blobs } = await json('blobs', 'list');
  expect(blobs.map(({ blob_id }: { blob_id: string }) => blob_id)).toContain(blobId);
  expect(await json('blobs', 'extend', '--until', '2000-01-01', '--epochs', '1', '--yes')).toEqual({
    extended: 0,
    digests: [],
  });
  expect(await json('blobs', 'delete', id, '--yes')).toMatchObject({ deleted: 1 });
  const after = await json('blobs', 'list');
  expect(after.blobs).toHaveLength(blobs.length - 1);
  const unknown = await memrelay('blobs', 'delete', 'A'.repeat(43), '--yes', '--json');
  expect(JSON.parse(unknown.stdout)).toMatchObject({ exit_code: 2 });
});

it('reports that a blob holds several memories, and deletes it only with --with-memories', async () => {
  const client = MemRelay.fromCredentials(await loadCredentials(join(home, 'data', 'credentials.json')));
  const texts = ['one of three', 'two of three', 'three of three'];
  await client.rememberBulkAndWait(texts.map((text) => ({ text, namespace: 'quilt' })));
  client.destroy();
  const quilts = async () =>
    (await json('blobs', 'list')).blobs.filter(({ memories }: { memories: number }) => memories > 1);
  const [quilt, ...others] = await quilts();
  expect([quilt.memories, others]).toEqual([3, []]);
  for (const ids of [[quilt.object_id], ['--all']]) {
    const refused = await memrelay('blobs', 'delete', ...ids, '--yes', '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: 'memories_live', exit_code: 2 });
  }
  expect(await quilts()).toEqual([quilt]);
  const told = { deleted: 1 };
  expect(await json('blobs', 'delete', quilt.blob_id, '--with-memories', '--yes')).toMatchObject(told);
  expect(await quilts()).toEqual([]);
});

it('creates a recovery key in a separate file, which protects memories stored afterwards', async () => {
  const path = join(home, 'recovery.key');
  const before = await json('account', 'show');
  const made = await json('key', 'recovery', '--out', path, '--yes');
  expect(made).toMatchObject({ recovery_key_path: path });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(await json('account', 'show')).toMatchObject({
    recovery_pk: made.recovery_pk,
    key_epoch: before.key_epoch + 1,
  });
  const again = await memrelay('key', 'recovery', '--out', path, '--yes');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
  expect((await json('account', 'show')).recovery_pk).toBe(made.recovery_pk);
  expect(await json('key', 'rewrap')).toMatchObject({ rewrapped: 0, failed: [] });

  const carol = await newWallet('carol', 'ca'.repeat(32));
  const { relayerUrl } = JSON.parse(await readFile(join(home, 'data', 'credentials.json'), 'utf8'));
  const at = ['--wallet', carol, '--server', relayerUrl, '--yes'];
  const created = await json('account', 'create', ...at, '--recovery-key', join(home, 'carol.key'));
  expect(await json('account', 'show', ...at)).toMatchObject({ recovery_pk: created.recovery_pk });
});

it('signs nothing without consent, and rejects a wallet file that others can read', async () => {
  const before = await json('account', 'show');
  const asked = await memrelay('key', 'rotate');
  expect(asked.code).toBe(2);
  expect(asked.stdout).toContain(`${before.key_epoch} → ${before.key_epoch + 1}`);
  expect(asked.stderr).toContain('--yes');
  expect(await json('account', 'show')).toEqual(before);

  const open = await newWallet('open', 'c2'.repeat(32));
  await chmod(open, 0o644);
  expect((await memrelay('account', 'show', '--wallet', open)).stderr).toContain('chmod 600');
  const nonsense = await newWallet('nonsense', 'no key at all');
  expect((await memrelay('account', 'show', '--wallet', nonsense)).stderr).toContain('holds no private key');
});
