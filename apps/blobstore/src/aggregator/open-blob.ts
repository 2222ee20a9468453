import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { BlobIdEncoder } from '../base/blob-id-encoder.ts';
import { createBlockHasher } from '../storage/block-digests.ts';
import {
  BlobDamagedError,
  type ByteRange,
  type ContentFile,
  type Storage,
  type StoredBlob,
} from '../storage/storage.ts';
import { createBlockVerifier, expectBlock, isOneBlock, wholeBlocks } from './block-verifier.ts';
import type { KnownBlocks } from './known-blocks.ts';
import { isShort, readShort, streamFile } from './open-file.ts';
import type { HeldBytes } from './read-buffers.ts';

/**
 * Which checks run before a byte is sent. On a network the flags guard against a writer that encoded incorrectly.
 * Here the store itself is the only writer, so they guard against a disk that changed the content. `default`
 * compares each block with its digest before it is sent, unless the block was verified recently and the file has
 * not changed since (`KnownBlocks`); `strict` first recomputes the blob id from the whole content.
 */
export type ConsistencyCheck = 'default' | 'strict' | 'skip';

export interface ReadParts {
  storage: Storage;
  encoder: BlobIdEncoder;
  knownBlocks: KnownBlocks;
  logger: Logger;
}

/** Short content is in memory, long content is a stream that buffers a few blocks at most. */
export type Content = HeldBytes | Readable;

/**
 * The content of a blob, or of the range. When this resolves, the first block of a stream, or all of a short
 * content, has been read and verified, so that damage there leads to an error response. Damage further on fails the
 * stream before it emits a wrong byte. Throws `BlobDamagedError`, and the errors of the storage.
 */
export async function openBlob(
  parts: ReadParts,
  blob: StoredBlob,
  range: ByteRange | undefined,
  check: ConsistencyCheck,
): Promise<Content> {
  const { storage } = parts;
  const wanted = range ?? { start: 0, end: blob.size - 1 };
  const isSmall = isOneBlock(wanted);
  if (storage.open !== undefined && blob.size > 0) {
    if (check === 'strict') await expectBlobId(parts, blob);
    return openFile(parts, await storage.open(blob), blob, wanted, check);
  }
  if (check === 'skip') {
    return isSmall ? inMemory(await storage.readAll(blob, range)) : begun(await storage.read(blob, range));
  }
  if (check === 'strict') await expectBlobId(parts, blob);
  const digests = await blockDigestsOf(parts, blob);
  const blocks = wholeBlocks(wanted, blob.size);
  const part = blocks.end - blocks.start + 1 === blob.size ? undefined : blocks;
  if (isSmall) {
    const bytes = await storage.readAll(blob, part);
    expectBlock(blob, digests, blocks.start, bytes);
    return inMemory(bytes.subarray(wanted.start - blocks.start, wanted.end + 1 - blocks.start));
  }
  const verifier = createBlockVerifier(blob, digests, wanted);
  const source = await storage.read(blob, part);
  // An error of either stream destroys the other and is reported to the reader of the verifier.
  pipeline(source, verifier, () => undefined);
  return begun(verifier);
}

async function expectBlobId({ storage, encoder }: ReadParts, blob: StoredBlob): Promise<void> {
  const { blobId } = await storage.withFile(blob, (path) => encoder.identify(path));
  if (blobId !== blob.blobId) throw new BlobDamagedError(`the content of ${blob.blobId} has another blob id`);
}

/** The same for a local file. Its recently verified blocks are not verified again. */
async function openFile(
  parts: ReadParts,
  file: ContentFile,
  blob: StoredBlob,
  wanted: ByteRange,
  check: ConsistencyCheck,
): Promise<Content> {
  try {
    const known =
      check === 'skip'
        ? undefined
        : parts.knownBlocks.of(blob, file.stamp, () => blockDigestsOf(parts, blob));
    if (isShort(wanted, blob)) return await readShort(file, blob, wanted, known);
    return await streamFile(file, blob, wanted, await known);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function inMemory(bytes: Buffer): HeldBytes {
  return { bytes, release: () => undefined };
}

/** Resolves when the stream has its first bytes or its end, and rejects when it fails before that. */
export async function begun(stream: Readable): Promise<Readable> {
  await once(stream, 'readable');
  return stream;
}

async function blockDigestsOf(parts: ReadParts, blob: StoredBlob): Promise<Buffer> {
  return (await parts.storage.blockDigests(blob)) ?? recoverBlockDigests(parts, blob);
}

/**
 * The block digests of a blob that was stored without them, or whose digests are damaged, computed by reading all of
 * it.
 */
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
    logger.warn({ err: error, blobId: blob.blobId }, 'failed to save block digests');
  }
  return digests;
}
