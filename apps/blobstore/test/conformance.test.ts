import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRows } from '../conformance/rows/all-rows.ts';
import { runRow } from '../conformance/run-row.ts';
import { openSession, type Session } from '../conformance/session.ts';
import { type BlobStore, type BlobStoreOptions, createBlobStore, defaultLimits } from '../src/blob-store.ts';
import { authSettings, secret } from './publisher-tokens.ts';

const adminToken = 'opens-the-admin-routes-of-a-test';
const stores: BlobStore[] = [];
let directory: string;
let session: Session;

async function start(name: string, options: Partial<BlobStoreOptions> = {}): Promise<string> {
  const store = await createBlobStore({
    dataDir: join(directory, name),
    port: 0,
    nShards: 31,
    encoderThreads: 1,
    logger: pino({ level: 'silent' }),
    ...options,
  });
  stores.push(store);
  return store.url;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blobstore-'));
  const open = await start('open', { adminToken });
  const tight = await start('tight', {
    limits: {
      ...defaultLimits,
      maxBodyBytes: 1024,
      maxQuiltBodyBytes: 64 * 1024,
      publisher: { concurrent: 1, buffered: 1 },
    },
  });
  const publisher = await start('tokens', { auth: authSettings({ verifyUpload: true }) });
  session = await openSession({
    publisher: open,
    aggregator: open,
    adminToken,
    tight,
    tokens: { publisher, secret },
    shards: 31,
  });
});

afterAll(async () => {
  for (const store of stores) await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** All but what other services do, and what takes 1000 shards, which `golden-ids.test.ts` has. */
const rows = allRows.filter(({ only, needs }) => only !== 'walrus' && !needs.includes('1000 shards'));

test.each(rows)('$section: $name', async (row) => {
  expect(await runRow(session, row)).toEqual({ row, outcome: 'holds' });
});
