import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { BlobReadError, type ReadOptions } from '../../src/blobs/aggregator-reads.ts';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import type { BlobReads } from '../../src/blobs/read-stored.ts';
import { readEnvelopes } from '../../src/memories/reading/read-envelopes.ts';
import type { Match } from '../../src/memories/rows/match.ts';

const noDb = {} as Db;
const accountId = randomBytes(32);

function matchOf(stored: Buffer, createdAt = new Date()): Match {
  return {
    id: randomUUID(),
    near: true,
    distance: 0,
    state: 'done',
    blobId: randomBytes(32).toString('base64url'),
    envelopeId: undefined,
    envelopeSha256: createHash('sha256').update(stored).digest(),
    size: 1_000,
    importance: 0.5,
    createdAt,
  };
}

/** Aggregators that hold these bytes by blob id. */
function aggregatorsWith(
  blobs: ReadonlyMap<string, Buffer>,
): BlobReads & { reads: string[]; options: (ReadOptions | undefined)[] } {
  const reads: string[] = [];
  const readOptions: (ReadOptions | undefined)[] = [];
  return {
    reads,
    options: readOptions,
    async read(blobId, isRight, options) {
      reads.push(blobId);
      readOptions.push(options);
      const bytes = blobs.get(blobId);
      if (!bytes) throw new BlobReadError('missing');
      if (!isRight(bytes)) throw new BlobReadError('unavailable');
      return bytes;
    },
  };
}

const newCache = () => createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 });

describe('envelopes of a recall', () => {
  test('leaves out a missing or wrong blob and returns the others', async () => {
    const bytes = [randomBytes(50), randomBytes(50), randomBytes(50)];
    const matches = bytes.map((each) => matchOf(each));
    const aggregators = aggregatorsWith(
      new Map([
        [matches[0]!.blobId!, bytes[0]!],
        [matches[1]!.blobId!, randomBytes(50)],
      ]),
    );
    const read = await readEnvelopes({ db: noDb, blobCache: newCache(), aggregators }, accountId, matches);
    expect(read).toEqual([bytes[0], undefined, undefined]);
  });

  test('never caches bytes with another digest, and reads the right ones once they are back', async () => {
    const bytes = randomBytes(50);
    const match = matchOf(bytes);
    const blobs = new Map([[match.blobId!, randomBytes(50)]]);
    const sources = { db: noDb, blobCache: newCache(), aggregators: aggregatorsWith(blobs) };
    expect(await readEnvelopes(sources, accountId, [match])).toEqual([undefined]);
    blobs.set(match.blobId!, bytes);
    expect(await readEnvelopes(sources, accountId, [match])).toEqual([bytes]);
    expect(await readEnvelopes(sources, accountId, [match])).toEqual([bytes]);
    expect(sources.aggregators.reads.length).toBe(2);
  });

  test('waits for the blob of a new memory, but not of an old one', async () => {
    const matches = [60, 3600].map((seconds) =>
      matchOf(randomBytes(50), new Date(Date.now() - seconds * 1000)),
    );
    const aggregators = aggregatorsWith(new Map());
    await readEnvelopes({ db: noDb, blobCache: newCache(), aggregators }, accountId, matches);
    expect(aggregators.options).toMatchObject([{ fresh: true }, { fresh: false }]);
  });

  test('reads a cached entry with another digest again and replaces it', async () => {
    const bytes = randomBytes(50);
    const match = matchOf(bytes);
    const blobCache = newCache();
    await blobCache.set(match.blobId!, randomBytes(50));
    const aggregators = aggregatorsWith(new Map([[match.blobId!, bytes]]));
    const sources = { db: noDb, blobCache, aggregators };
    expect(await readEnvelopes(sources, accountId, [match])).toEqual([bytes]);
    expect(await blobCache.getMany([match.blobId!])).toEqual([bytes]);
  });
});
