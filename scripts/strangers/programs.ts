import { readFileSync } from 'node:fs';

/** The text that the README program stores and must find again. */
export const remembered = 'tea without milk';

/** The first program of the SDK's README, unchanged. */
export function readmeProgram(): string {
  const readme = readFileSync(new URL('../../packages/sdk/README.md', import.meta.url), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
}

/** Loads every entry that needs no chain client with `require`, and uses each once. */
export const requireProgram = `
const assert = require('node:assert/strict');
const { MemRelay, MemRelayError } = require('@memrelay/sdk');
const { isBundle } = require('@memrelay/sdk/bundle');
const { loadCredentials } = require('@memrelay/sdk/credentials');
const { computeBlobId } = require('@memrelay/blob-id');
const { createBlobIdPool } = require('@memrelay/blob-id/pool');

const golden = '9k95lgtG9iPU8yk_wYz8m8CUY1snveemF8ypfpBLUUg';
async function main() {
  assert.equal(isBundle(new Uint8Array(4)), false);
  assert.throws(() => MemRelay.create({ key: 'x', accountId: 'x', serverUrl: 'x' }), MemRelayError);
  await assert.rejects(loadCredentials('/nowhere/credentials.json'), { code: 'invalid_credentials' });
  assert.equal(computeBlobId(Buffer.from('some string'), { nShards: 1000 }).blobId, golden);
  const pool = createBlobIdPool({ nShards: 1000, threads: 1 });
  assert.equal((await pool.ofBytes(Buffer.from('some string'))).blobId, golden);
  await pool.close();
  const memory = await MemRelay.connect();
  const { results } = await memory.recall('how do I drink tea?');
  console.log(results[0].text);
}
main();
`;

/** The same with the ESM entries, including those that need the chain client. */
export const importProgram = `
import assert from 'node:assert/strict';
import { AccountOwner } from '@memrelay/sdk/account';
import { MemRelayManual } from '@memrelay/sdk/manual';
import { computeBlobId } from '@memrelay/blob-id';
import { createBlobIdPool } from '@memrelay/blob-id/pool';

const golden = '9k95lgtG9iPU8yk_wYz8m8CUY1snveemF8ypfpBLUUg';
assert.equal(typeof AccountOwner, 'function');
assert.equal(typeof MemRelayManual, 'function');
assert.equal(computeBlobId(Buffer.from('some string'), { nShards: 1000 }).blobId, golden);
const pool = createBlobIdPool({ nShards: 1000, threads: 1 });
assert.equal((await pool.ofBytes(Buffer.from('some string'))).blobId, golden);
await pool.close();
console.log('entries work');
`;

/** A client in code that has no files: a page or a worker. The placeholders are filled in from the credentials. */
export const clientProgram = (options: object): string => `
import { MemRelay } from '@memrelay/sdk';

export async function firstHit() {
  const memory = MemRelay.create(${JSON.stringify(options)});
  const { results } = await memory.recall('how do I drink tea?');
  return results[0].text;
}
`;

/** Types that users rely on. The wrong line must be a type error, so that `any` does not pass. */
export const typedProgram = `
import { MemRelay, MemRelayError, type RecallResult } from '@memrelay/sdk';
import { openBundle } from '@memrelay/sdk/bundle';
import { computeBlobId, type BlobIdentity } from '@memrelay/blob-id';

export async function firstText(memory: MemRelay): Promise<string | undefined> {
  const found: RecallResult = await memory.recall('how do I drink tea?', { limit: 1 });
  return found.results[0]?.text;
}
export const id: BlobIdentity = computeBlobId(new Uint8Array(1), { nShards: 1000 });
export const isOurs = (error: unknown): error is MemRelayError => error instanceof MemRelayError;
export const opened: typeof openBundle = openBundle;
// @ts-expect-error a number is no query
export const wrong = (memory: MemRelay) => memory.recall(1);
`;

/** The entries that need other packages or Node's types. */
export const typedNodeProgram = `
import { createBlobStore, type BlobStore } from '@memrelay/blobstore';
import { createBlobIdPool } from '@memrelay/blob-id/pool';
import { AccountOwner } from '@memrelay/sdk/account';
import { loadCredentials } from '@memrelay/sdk/credentials';
import { MemRelayManual } from '@memrelay/sdk/manual';

export const store: Promise<BlobStore> = createBlobStore({ dataDir: 'walrus', port: 0, nShards: 31 });
export const pool = createBlobIdPool({ nShards: 31, threads: 1 });
export const credentials = loadCredentials();
export const known = [AccountOwner, MemRelayManual];
// @ts-expect-error the data directory is missing
export const wrong = createBlobStore({ port: 0 });
`;

/** A blob store in the stranger's own process. */
export const blobstoreProgram = `
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobStore } from '@memrelay/blobstore';

const dataDir = mkdtempSync(join(tmpdir(), 'stranger-walrus-'));
const store = await createBlobStore({ dataDir, port: 0, nShards: 31, epochDurationMs: null });
const stored = await fetch(store.url + '/v1/blobs?epochs=2', { method: 'PUT', body: 'hello' }).then((r) => r.json());
const { blobId } = stored.newlyCreated.blobObject;
assert.equal(await fetch(store.url + '/v1/blobs/' + blobId).then((r) => r.text()), 'hello');
await store.admin.advanceEpoch(2);
assert.equal((await fetch(store.url + '/v1/blobs/' + blobId)).status, 404);
await store.close();
rmSync(dataDir, { recursive: true });
console.log('stored, read and expired');
`;
