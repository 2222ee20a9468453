import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Need } from '../conformance/needs.ts';
import { allRows } from '../conformance/rows/all-rows.ts';
import { runRow } from '../conformance/run-row.ts';
import { openSession, type Session, type StoreResponse } from '../conformance/session.ts';
import { type BlobStore, createBlobStore } from '../src/blob-store.ts';
import { type BlobStoreOptions, defaultLimits } from '../src/config/blob-store-options.ts';
import { createDocumentCheck, operations } from './api-document.ts';
import { authSettings, secret } from './publisher-tokens.ts';

const adminToken = 'opens-the-admin-routes-of-a-test';
const document = createDocumentCheck();
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

/** A blocklist with the ids of the blobs that the rows about restrictions store. */
async function blocklistOf(url: string): Promise<string> {
  const form = new FormData();
  form.set('blocked', new Blob(['blocked']));
  const quilt = await fetch(`${url}/v1/quilts`, { method: 'PUT', body: form });
  const { blobStoreResult } = (await quilt.json()) as { blobStoreResult: StoreResponse };
  const blob = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'blocked' });
  const responses = [blobStoreResult, (await blob.json()) as StoreResponse];
  const ids = responses.map(({ newlyCreated }) => `- ${newlyCreated?.blobObject.blobId}\n`);
  const path = join(directory, 'blocklist.yaml');
  await writeFile(path, ids.join(''));
  return path;
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
  const restricted = await start('restricted', {
    blocklistFile: await blocklistOf(open),
    limits: { ...defaultLimits, maxBlobBytes: 500 },
  });
  session = await openSession({
    publisher: open,
    aggregator: open,
    adminToken,
    tight,
    restricted,
    tokens: { publisher, secret },
    shards: 31,
    observer: document.observe,
  });
});

afterAll(async () => {
  for (const store of stores) await store.close();
  await rm(directory, { recursive: true, force: true });
});

/**
 * Requirements that other tests cover: `golden-ids.test.ts` (1000 shards) and `conformance-chain.test.ts` (relay).
 */
const elsewhere: readonly Need[] = ['1000 shards', 'relay'];
const rows = allRows.filter(
  ({ only, needs }) => only !== 'walrus' && !needs.some((need) => elsewhere.includes(need)),
);

test.each(rows)('$section: $name', async (row) => {
  expect(await runRow(session, row)).toEqual({ row, outcome: 'holds' });
});

test('every response in between matches the OpenAPI document', () => {
  expect([...document.problems]).toEqual([]);
});

/** Statuses of failures of the disk, the chain or the code. */
const troubles = ['500', '501', '503', '507'];

const onlyWithChain = ['/v1/tip-config', '/v1/blob-upload-relay'];

test('every documented response occurred, except for those that need a failure', () => {
  const described = operations
    .filter(({ method, path }) => method !== 'head' && !onlyWithChain.includes(path))
    .flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses).flatMap((status) =>
        troubles.includes(status) ? [] : `${method} ${path} ${status}`,
      ),
    );
  expect(described.filter((answer) => !document.seen.has(answer))).toEqual([
    // Needs a blob that is blocked after it was stored
    'get /v1/blobs/by-object-id/{object_id} 451',
    // Needs objects of other owners on a chain
    'patch /admin/objects/{object_id}/attributes 409',
  ]);
});
