import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import type { BlobStoreContext } from '../blob-store-context.ts';
import { createBlockHasher } from '../storage/block-digests.ts';
import { BlobDamagedError, type ByteRange, type StoredBlob } from '../storage/storage.ts';
import { createBlockVerifier, expectBlock, isOneBlock, wholeBlocks } from './block-verifier.ts';

/**
 * What is checked before a byte is sent. On a network the flags guard against a writer who encoded wrongly; here
 * the one writer is the store itself, so what they guard against is a disk that changed what was stored.
 * `default` compares each block with its digest before it is sent, `strict` first computes the blob id anew.
 */
export type ConsistencyCheck = 'default' | 'strict' | 'skip';

export type ReadParts = Pick<BlobStoreContext, 'storage' | 'encoder' | 'logger'>;

/**
 * The content of a blob, or the named part of it, as a stream that holds a few blocks at most. Its first block is
 * read and verified when this resolves, so that damage there is an error response; damage further on fails the
 * stream before a wrong byte is in it. Throws `BlobDamagedError`, and the errors of the storage.
 */
export async function openBlob(
  parts: ReadParts,
  blob: StoredBlob,
  range: ByteRange | undefined,
  check: ConsistencyCheck,
): Promise<Readable> {
  const { storage, encoder } = parts;
  const wanted = range ?? { start: 0, end: blob.size - 1 };
  const isSmall = isOneBlock(wanted);
  if (check === 'skip') {
    return isSmall ? streamOf(await storage.readAll(blob, range)) : begun(await storage.read(blob, range));
  }
  if (check === 'strict') {
    const { blobId } = await storage.withFile(blob, (path) => encoder.identify(path));
    if (blobId !== blob.blobId)
      throw new BlobDamagedError(`the content of ${blob.blobId} has another blob id`);
  }
  const digests = (await storage.blockDigests(blob)) ?? (await recoverBlockDigests(parts, blob));
  const blocks = wholeBlocks(wanted, blob.size);
  const part = blocks.end - blocks.start + 1 === blob.size ? undefined : blocks;
  if (isSmall) {
    const bytes = await storage.readAll(blob, part);
    expectBlock(blob, digests, blocks.start, bytes);
    return streamOf(bytes.subarray(wanted.start - blocks.start, wanted.end + 1 - blocks.start));
  }
  const verifier = createBlockVerifier(blob, digests, wanted);
  const source = await storage.read(blob, part);
  // Errors of either end the other, and whoever reads the verifier hears of them.
  pipeline(source, verifier, () => undefined);
  return begun(verifier);
}

function streamOf(bytes: Buffer): Readable {
  const stream = new Readable({ read: () => undefined });
  if (bytes.byteLength > 0) stream.push(bytes);
  stream.push(null);
  return stream;
}

/** Resolves when the stream has its first bytes or its end, and rejects when it fails before. */
export async function begun(stream: Readable): Promise<Readable> {
  await once(stream, 'readable');
  return stream;
}

/** The block digests of a blob that was stored without, or whose digests are damaged, by reading the whole of it. */
async function recoverBlockDigests({ storage, logger }: ReadParts, blob: StoredBlob): Promise<Buffer> {
  const whole = createHash('sha256');
  const blocks = createBlockHasher();
  for await (const chunk of (await storage.read(blob)) as AsyncIterable<Buffer>) {
    whole.update(chunk);
    blocks.update(chunk);
  }
  if (whole.digest('base64url') !== blob.digest) {
    throw new BlobDamagedError(`the content of ${blob.blobId} has another digest`);
  }
  const digests = blocks.end();
  try {
    await storage.keepBlockDigests(blob, digests);
  } catch (error) {
    logger.warn({ err: error, blobId: blob.blobId }, 'the block digests could not be kept');
  }
  return digests;
}
