import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type BlobStore, createBlobStore } from '../src/blob-store.ts';
import type { BlobStoreOptions } from '../src/config/blob-store-options.ts';

const silent = pino({ level: 'silent' });

/** For `expect.poll`, whose default of one second is too short on a busy machine. */
export const patient = { timeout: 20_000 };

/** A directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'blobstore-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

function create(options: Partial<BlobStoreOptions> & { dataDir: string }): Promise<BlobStore> {
  return createBlobStore({ logger: silent, port: 0, nShards: 31, encoderThreads: 1, ...options });
}

/** A store with 31 shards on a free port, closed after the test. Closing it earlier is fine. */
export async function startStore(options: Partial<BlobStoreOptions> = {}): Promise<BlobStore> {
  const store = await create({ dataDir: options.dataDir ?? (await temporaryDirectory()), ...options });
  onTestFinished(() => store.close());
  return store;
}

/** One store for all tests of a `describe`; returns its URL once they run. */
export function sharedStore(): () => string {
  let directory = '';
  let store: BlobStore;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'blobstore-'));
    store = await create({ dataDir: directory });
  });
  afterAll(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  return () => store.url;
}

export interface ErrorAnswer {
  error: { status: string; code: number; message: string; details: Record<string, unknown>[] };
}

interface BlobObjectAnswer {
  id: string;
  blobId: string;
  registeredEpoch: number;
  certifiedEpoch: number;
  deletable: boolean;
  size: number;
  storage: { id: string; startEpoch: number; endEpoch: number; storageSize: number };
}

export interface StoreAnswer {
  newlyCreated?: {
    blobObject: BlobObjectAnswer;
    resourceOperation: unknown;
    cost: number;
    sharedBlobObject?: string;
  };
  alreadyCertified?: {
    blobId: string;
    endEpoch: number;
    event?: { txDigest: string; eventSeq: string };
    object?: string;
  };
}

/** Stores bytes and returns the parsed answer; throws when the status is not 200. */
export async function put(url: string, body: string | Uint8Array, query = ''): Promise<StoreAnswer> {
  const response = await fetch(`${url}/v1/blobs${query}`, { method: 'PUT', body: Buffer.from(body) });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as StoreAnswer;
}

/** Stores bytes as a new object and returns it. */
export async function putNew(
  url: string,
  body: string | Uint8Array,
  query = '',
): Promise<NonNullable<StoreAnswer['newlyCreated']>> {
  const { newlyCreated } = await put(url, body, query);
  if (newlyCreated === undefined) throw new Error('nothing new was created');
  return newlyCreated;
}

export async function blobIdOf(url: string, body: string | Uint8Array, query = ''): Promise<string> {
  return (await putNew(url, body, query)).blobObject.blobId;
}

/** The status and the reason of an error response. */
export async function refusal(response: Response): Promise<{ status: number; reason: unknown }> {
  const { error } = (await response.json()) as ErrorAnswer;
  return { status: response.status, reason: error.details[0]?.reason };
}
