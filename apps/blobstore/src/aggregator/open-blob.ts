import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobStoreContext } from '../blob-store-context.ts';
import { BlobDamagedError, type ByteRange, type StoredBlob } from '../storage/storage.ts';

/**
 * How much is checked before a byte is sent. On a network the flags guard against a writer who encoded wrongly;
 * here the one writer is the store itself, so what they guard against is a disk that changed what was stored.
 * `default` compares the SHA-256 kept since the store, `strict` also computes the blob id anew.
 */
export type ConsistencyCheck = 'default' | 'strict' | 'skip';

/** Up to this size a blob is read once, verified in memory and sent; above, it is read twice. */
const inMemoryBytes = 1024 * 1024;

type Parts = Pick<BlobStoreContext, 'storage' | 'encoder'>;

/**
 * The content of a blob, or the named part of it, as a stream. Verification covers the whole blob and is done
 * before the stream is handed out, so damage is an error response and never a wrong byte. Throws
 * `BlobDamagedError`.
 */
export async function openBlob(
  { storage, encoder }: Parts,
  blob: StoredBlob,
  range: ByteRange | undefined,
  check: ConsistencyCheck,
): Promise<Readable> {
  if (check === 'skip') return storage.read(blob, range);
  if (check === 'strict') {
    const { blobId } = await storage.withFile(blob, (path) => encoder.identify(path));
    if (blobId !== blob.blobId) throw new BlobDamagedError('the content has another blob id');
  }
  if (blob.size <= inMemoryBytes) {
    const bytes = await storage.readAll(blob);
    expectDigest(blob, createHash('sha256').update(bytes).digest('base64url'));
    return streamOf(range === undefined ? bytes : bytes.subarray(range.start, range.end + 1));
  }
  const hash = createHash('sha256');
  for await (const chunk of await storage.read(blob)) hash.update(chunk);
  expectDigest(blob, hash.digest('base64url'));
  return storage.read(blob, range);
}

function expectDigest(blob: StoredBlob, digest: string): void {
  if (digest !== blob.digest) throw new BlobDamagedError('the content has another digest');
}

/** A buffer as a stream: Fastify would add a content type to a bare buffer, which the aggregator must not. */
function streamOf(bytes: Buffer): Readable {
  return Readable.from(bytes.byteLength === 0 ? [] : [bytes], { objectMode: false });
}
