import { randomBytes } from 'node:crypto';
import { appendFile, copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { urlOf } from './main-child.ts';
import { spawnMain } from './main-process.ts';
import { patient, putNew, startStore, temporaryDirectory } from './running-store.ts';

/** Starting processes takes long on a busy machine. */
const patientMs = 180_000;

interface Known {
  blobId: string;
  content: Buffer;
}

async function storeSome(url: string, count: number): Promise<Known[]> {
  const known: Known[] = [];
  for (let i = 0; i < count; i += 1) {
    const content = randomBytes(1000 + i * 150_000);
    const { blobObject } = await putNew(url, content, '?epochs=20');
    known.push({ blobId: blobObject.blobId, content });
  }
  return known;
}

async function expectReadable(url: string, blobs: Known[]): Promise<void> {
  for (const { blobId, content } of blobs) {
    const read = await fetch(`${url}/v1/blobs/${blobId}?strict_consistency_check=true`);
    expect(read.status).toBe(200);
    expect(content.equals(Buffer.from(await read.arrayBuffer()))).toBe(true);
  }
}

async function filesOf(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'objects'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}

/** A real process on a directory; stops when `stop` is called. */
async function start(dataDir: string) {
  const main = spawnMain(['--port', '0', '--shards', '31', '--data-dir', dataDir]);
  const url = await urlOf(main);
  return {
    url,
    main,
    async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
      main.child.kill(signal);
      await main.ended;
    },
  };
}

const harms: [string, (journal: string, backup: string) => Promise<void>][] = [
  ['is a backup of last night', (journal, backup) => copyFile(backup, journal)],
  ['is missing', (journal) => rm(journal)],
  ['is empty', (journal) => writeFile(journal, '')],
  ['lost its last line', (journal) => cutLines(journal, 1)],
  ['lost its last three lines', (journal) => cutLines(journal, 3)],
  ['was cut off within a line', async (journal) => truncate(journal, (await stat(journal)).size - 30)],
  ['has garbage for its last line', (journal) => spoilLastLine(journal)],
  [
    'was truncated and has garbage at its end',
    async (journal) => {
      await cutLines(journal, 2);
      await appendFile(journal, randomBytes(4000).toString('latin1').replaceAll('\n', ' '));
    },
  ],
];

async function cutLines(journal: string, count: number): Promise<void> {
  const lines = (await readFile(journal, 'utf8')).split('\n').slice(0, -1);
  await writeFile(
    journal,
    lines
      .slice(0, -count)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

async function spoilLastLine(journal: string): Promise<void> {
  const text = await readFile(journal, 'utf8');
  const last = text.lastIndexOf('\n', text.length - 2) + 1;
  await writeFile(journal, `${text.slice(0, last)}${'#'.repeat(text.length - last - 1)}\n`);
}

test.each(harms)(
  'a registry that %s loses no blob, at this start and the next ones',
  async (_, harm) => {
    const dataDir = await temporaryDirectory();
    const journal = join(dataDir, 'registry.jsonl');
    const backup = join(await temporaryDirectory(), 'backup');
    const first = await start(dataDir);
    const before = await storeSome(first.url, 2);
    await copyFile(journal, backup);
    const after = await storeSome(first.url, 3);
    await first.stop();
    const files = await filesOf(dataDir);
    await harm(journal, backup);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const again = await start(dataDir);
      await expectReadable(again.url, [...before, ...after]);
      await again.stop(signal);
      expect(await filesOf(dataDir)).toEqual(files);
    }
    // Restoring the newest registry makes all blobs known again.
    await copyFile(backup, journal);
    const last = await start(dataDir);
    await expectReadable(last.url, [...before, ...after]);
  },
  patientMs,
);

test('a rebuilt entry has the known fields, the log reports it, and the old registry is kept', async () => {
  const dataDir = await temporaryDirectory();
  const first = await start(dataDir);
  const [known] = await storeSome(first.url, 1);
  await first.stop();
  const journal = await readFile(join(dataDir, 'registry.jsonl'), 'utf8');
  await cutLines(join(dataDir, 'registry.jsonl'), 2);
  const cut = await readFile(join(dataDir, 'registry.jsonl'), 'utf8');
  expect(journal.startsWith(cut)).toBe(true);

  const token = 'a-token-for-this-test';
  const main = spawnMain(['--port', '0', '--data-dir', dataDir], { BLOBSTORE_ADMIN_TOKEN: token });
  const url = await urlOf(main);
  const answer = await fetch(`${url}/admin/objects`, { headers: { authorization: `Bearer ${token}` } });
  expect(await answer.json()).toEqual({
    objects: [
      expect.objectContaining({
        blobObject: expect.objectContaining({
          blobId: known?.blobId,
          size: 1000,
          registeredEpoch: 1,
          certifiedEpoch: 1,
          deletable: true,
          storage: expect.objectContaining({ startEpoch: 1, endEpoch: 54, storageSize: expect.any(Number) }),
        }),
        owned: true,
        burnt: false,
        attributes: {},
      }),
    ],
  });
  const line = main
    .stderr()
    .split('\n')
    .find((text) => text.includes('the registry is incomplete'));
  const logged = JSON.parse(line ?? '{}') as { level: number; rebuilt: number; copy: string };
  expect(logged).toMatchObject({ level: 50, rebuilt: 1 });
  expect(await readFile(logged.copy, 'utf8')).toBe(cut);
});

test('reissues a certificate that was lost with the last line, along with the rest of its entry', async () => {
  const dataDir = await temporaryDirectory();
  const first = await startStore({ dataDir });
  const { blobObject } = await putNew(first.url, 'permanent', '?permanent=true&epochs=7');
  await first.close();
  await cutLines(join(dataDir, 'registry.jsonl'), 1);
  const { admin } = await startStore({ dataDir });
  const { items } = await admin.listObjects();
  expect(items.map(({ object }) => object)).toEqual([{ ...blobObject, encodingType: undefined }]);
});

test('rebuilds and logs nothing after an ordinary kill', async () => {
  const dataDir = await temporaryDirectory();
  const first = await start(dataDir);
  const blobs = await storeSome(first.url, 3);
  await first.stop('SIGKILL');
  const again = await start(dataDir);
  await expectReadable(again.url, blobs);
  await again.stop();
  expect(again.main.stderr()).not.toMatch(/registry is incomplete|quarantine/);
  expect((await readdir(dataDir)).sort()).toEqual(
    ['blocks', 'lock.sqlite', 'objects', 'registry.head', 'registry.jsonl', 'store.json'].sort(),
  );
});

test('does not lose the bytes of a blob whose extension is unknown to the older registry', async () => {
  const dataDir = await temporaryDirectory();
  const journal = join(dataDir, 'registry.jsonl');
  const backup = join(await temporaryDirectory(), 'backup');
  const options = { dataDir, epochDurationMs: null };
  const first = await startStore(options);
  const { blobObject } = await putNew(first.url, 'renewed', '?epochs=2');
  await copyFile(journal, backup);
  await putNew(first.url, 'renewed', '?epochs=50');
  await putNew(first.url, 'renewed', '?epochs=40&reuse_resources=true').catch(() => undefined);
  await first.close();
  await copyFile(backup, journal);

  const older = await startStore(options);
  await older.admin.advanceEpoch(3);
  await older.admin.sweep();
  expect((await fetch(`${older.url}/v1/blobs/${blobObject.blobId}`)).status).toBe(404);
  await older.close();
  expect(await filesOf(dataDir)).toHaveLength(1);
  // Kept for a week, in which the operator can restore the newest registry.
  const next = await startStore(options);
  await next.admin.sweep();
  expect(await filesOf(dataDir)).toHaveLength(1);
  await putNew(next.url, 'renewed');
  expect((await fetch(`${next.url}/v1/blobs/${blobObject.blobId}`)).status).toBe(200);
});

test('does not serve blobs that the older registry lists as deleted, but keeps them for the quarantine period', async () => {
  const dataDir = await temporaryDirectory();
  const journal = join(dataDir, 'registry.jsonl');
  const backup = join(await temporaryDirectory(), 'backup');
  let time = Date.now();
  const quarantineMs = 1_000_000;
  const options = { dataDir, epochDurationMs: null, quarantineMs, now: () => time };
  const first = await startStore(options);
  const { blobObject } = await putNew(first.url, 'deleted, then stored again');
  await first.admin.deleteBlob(blobObject.blobId);
  await copyFile(journal, backup);
  await putNew(first.url, 'deleted, then stored again', '?epochs=50');
  await first.close();
  await copyFile(backup, journal);

  for (let start = 0; start < 3; start += 1) {
    time += quarantineMs / 4;
    const older = await startStore(options);
    await older.admin.advanceEpoch();
    expect((await fetch(`${older.url}/v1/blobs/${blobObject.blobId}`)).status).toBe(404);
    expect(await filesOf(dataDir)).toHaveLength(1);
    await older.close();
  }
  const quarantined = JSON.parse(await readFile(join(dataDir, 'quarantine.json'), 'utf8')) as object;
  expect(Object.keys(quarantined)).toEqual([blobObject.blobId]);
  // A restart does not restart the quarantine period.
  time += quarantineMs / 2;
  const last = await startStore(options);
  expect(await filesOf(dataDir)).toHaveLength(1);
  expect(await last.admin.sweep()).toBe(1);
  expect(await filesOf(dataDir)).toEqual([]);
  expect(JSON.parse(await readFile(join(dataDir, 'quarantine.json'), 'utf8'))).toEqual({});
});

test('removes nothing at the start except partially received files; a sweep removes expired blobs', async () => {
  const dataDir = await temporaryDirectory();
  const options = { dataDir, epochDurationMs: null };
  const first = await startStore(options);
  await putNew(first.url, 'ends soon');
  const { blobObject } = await putNew(first.url, 'stays', '?epochs=5');
  await first.close();
  await writeFile(join(dataDir, 'incoming', 'torn'), 'half a bl').catch(async () => undefined);
  let time = Date.now();
  const daily = { dataDir, epochDurationMs: 86_400_000, now: () => time };
  await (await startStore(daily)).close();
  time += 86_400_000;
  await (await startStore(daily)).close();
  expect(await filesOf(dataDir)).toHaveLength(2);
  const again = await startStore(daily);
  await expect.poll(() => readdir(join(dataDir, 'incoming')), patient).toEqual([]);
  expect(await again.admin.sweep()).toBe(1);
  expect((await filesOf(dataDir)).join()).toContain(blobObject.blobId);
});
