import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import type { auditActions } from '@memrelay/protocol/audit-log';
import { type Audit, readAudit } from '@memrelay/sdk/audit';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runMemrelay } from '../../src/memrelay-command.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { credentialsOf, newTestKey } from '../../src/test-owner.ts';

/** Tests that what is done with an account appears in its audit log, and that its owner can verify it. */

let world: RelayerWorld;
let client: MemRelay;
let home: string;

beforeAll(async () => {
  world = await RelayerWorld.create({ owners: 2 });
  client = world.client();
  home = await mkdtemp(join(tmpdir(), 'memrelay-audit-'));
  const credentials = credentialsOf(world.network, world.owner, world.relayer.url);
  await writeFile(join(home, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
});
afterAll(async () => {
  await world?.close();
  await rm(home, { recursive: true, force: true });
});

/** The log once it has an entry of each action: changes on chain are seen within a few seconds */
async function auditWith(...actions: (typeof auditActions)[number][]): Promise<Audit> {
  let audit = await readAudit(client);
  await expect
    .poll(async () => {
      audit = await readAudit(client);
      return actions.filter((action) => !audit.entries.some((entry) => entry.action === action));
    })
    .toEqual([]);
  return audit;
}

async function command(...args: string[]) {
  const { code, stdout } = await runMemrelay([...args, '--json'], { HOME: home, MEM_DATA_DIR: home });
  return { code, last: JSON.parse(stdout.trim().split('\n').at(-1)!) };
}

const { x25519PublicKey, randomBytes } = nodePrimitives;
const recipient = Buffer.from(x25519PublicKey(randomBytes(32))).toString('hex');

test('records changes of the account, and what clients forget, export and restore, without any text', async () => {
  const key = newTestKey();
  await world.owner.addDelegate(key, { perms: 1 });
  const { jobId } = await client.rememberAndWait('a text that no log contains', { namespace: 'a name' });
  await client.exportPage({ recipient_pk: recipient, limit: 10 });
  await client.restore({ namespace: 'a name' });
  await client.forget({ namespace: 'a name', ids: [jobId] });
  await client.recall('nothing', { namespace: 'a name' });
  await world.owner.removeDelegate(key);
  const { entries, problems } = await auditWith('delegate.removed');
  expect(problems).toEqual([]);
  expect(new Set(entries.map(({ action }) => action))).toEqual(
    new Set([
      'account.created',
      'delegate.added',
      'memories.exported',
      'memories.restored',
      'memories.forgotten',
      'delegate.removed',
    ]),
  );
  const own = { actor: client.publicKey };
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: 'memories.forgotten',
      ...own,
      detail: expect.objectContaining({ reason: 'request', count: 1, ids: [jobId] }),
    }),
  );
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: 'memories.exported',
      ...own,
      detail: expect.objectContaining({ count: 1 }),
    }),
  );
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: 'delegate.removed',
      actor: world.owner.wallet.address,
      detail: expect.objectContaining({ public_key: key.publicKey }),
    }),
  );
  expect(JSON.stringify(entries)).not.toMatch(/no log contains|a name|"label"/);
});

test('is the same over GET and POST, by pages, and belongs to one account', async () => {
  const { entries, head } = await readAudit(client);
  const key = world.owner.delegate;
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) =>
    (await rawRequest(world.relayer.url, key, { method, path, accountId: world.owner.accountId, body })).body;
  const first = await ask('GET', '/api/audit?limit=2');
  expect(first).toMatchObject({ entries: entries.slice(0, 2), next_cursor: '2' });
  const second = await ask('POST', '/api/audit', { cursor: '2', limit: 500 });
  expect(second).toMatchObject({ entries: entries.slice(2) });
  expect(second).not.toHaveProperty('next_cursor');
  expect(second).toMatchObject({ head: { seq: head.seq, hash: head.hash } });
  expect(await ask('GET', '/api/audit?limit=-1')).toMatchObject({ error: 'invalid_request' });
  const other = await readAudit(world.client({}, world.owners[1]));
  expect(other.entries.map(({ action }) => action)).not.toContain('memories.forgotten');
});

test('is refused to keys that do not read all namespaces', async () => {
  const key = newTestKey();
  await world.owner.addDelegate(key, { namespaces: ['work'] });
  const scoped = world.client({ key: key.privateKey });
  await expect(readAudit(scoped)).rejects.toMatchObject({ status: 403, code: 'insufficient_scope' });
});

test('is listed, exported and verified by the command, offline too', async () => {
  const { last: listed } = await command('audit', '--limit', '3');
  expect(listed.entries).toHaveLength(3);
  const verified = await command('audit', 'verify');
  expect(verified).toMatchObject({ code: 0, last: { ok: true } });
  expect((await stat(join(home, 'audit-heads.json'))).mode & 0o777).toBe(0o600);

  const path = join(home, 'log.json');
  expect(await command('audit', 'export', path)).toMatchObject({ code: 0 });
  expect(await command('audit', 'verify', path)).toMatchObject({ code: 0, last: { ok: true } });
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('memories.exported', 'memories.restored'));
  expect(await command('audit', 'verify', path)).toMatchObject({ code: 1, last: { error: 'audit_changed' } });
  await writeFile(path, 'something else');
  expect(await command('audit', 'verify', path)).toMatchObject({ code: 2 });
});

test.skipIf(!process.env.MEMRELAY_TEST_DATABASE_URL)(
  'that was cut off in the database is noticed by the command, until its owner accepts it',
  async () => {
    expect(await command('audit', 'verify')).toMatchObject({ code: 0 });
    const database = new Client({ connectionString: world.backend.databaseUrl });
    await database.connect();
    const account = [Buffer.from(world.owner.accountId.slice(2), 'hex')];
    await database.query('DELETE FROM audit_entry WHERE account_id = $1 AND seq > 2', account);
    await database.query(
      `UPDATE audit_head SET seq = 2, hash = (SELECT hash FROM audit_entry WHERE account_id = $1 AND seq = 2)
       WHERE account_id = $1`,
      account,
    );
    await database.end();
    expect(await command('audit', 'verify')).toMatchObject({ code: 1, last: { error: 'audit_truncated' } });
    expect(await command('audit', 'verify')).toMatchObject({ code: 1 });
    expect(await command('audit', 'verify', '--accept')).toMatchObject({ code: 0, last: { seq: 2 } });
    expect(await command('audit', 'verify')).toMatchObject({ code: 0 });
  },
);
