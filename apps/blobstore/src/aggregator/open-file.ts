import { Readable } from 'node:stream';
import { blockBytes } from '../storage/block-digests.ts';
import type { ByteRange, ContentFile, StoredBlob } from '../storage/storage.ts';
import { expectBlock, wholeBlocks } from './block-verifier.ts';
import type { KnownContent } from './known-blocks.ts';
import { type HeldBytes, readBufferBytes, takeBuffer } from './read-buffers.ts';

/** Bytes per read of a stream. Larger reads are cheaper, but each reader buffers up to two of them. */
const segmentBytes = 2 * blockBytes;

/** Verifies the blocks of a segment that are not verified yet. */
function verify(blob: StoredBlob, known: KnownContent, start: number, segment: Buffer): void {
  for (let offset = 0; offset < segment.length; offset += blockBytes) {
    const index = (start + offset) / blockBytes;
    if (known.isVerified[index] === 1) continue;
    expectBlock(blob, known.digests, start + offset, segment.subarray(offset, offset + blockBytes));
    known.isVerified[index] = 1;
  }
}

/** Whether the blocks around a range are read in one go, by `readShort`. */
export function isShort(wanted: ByteRange, blob: StoredBlob): boolean {
  const { start, end } = wholeBlocks(wanted, blob.size);
  return end - start < readBufferBytes;
}

/** The bytes of a short range. Without `known` nothing is verified. Closes the file, unless it throws. */
export async function readShort(
  file: ContentFile,
  blob: StoredBlob,
  wanted: ByteRange,
  known: Promise<KnownContent> | undefined,
): Promise<HeldBytes> {
  const blocks = wholeBlocks(wanted, blob.size);
  const { bytes: buffer, release } = takeBuffer(blocks.end - blocks.start + 1);
  const [read, content] = await Promise.all([file.read(blocks, buffer), known]);
  const closed = file.close();
  if (content !== undefined) verify(blob, content, blocks.start, read);
  await closed;
  return { bytes: read.subarray(wanted.start - blocks.start, wanted.end + 1 - blocks.start), release };
}

/**
 * The bytes of a range as a stream that reads and verifies one segment ahead. The first segment is read before this
 * resolves. Without `known` nothing is verified. The stream closes the file; when this rejects, the caller does.
 */
export async function streamFile(
  file: ContentFile,
  blob: StoredBlob,
  wanted: ByteRange,
  known: KnownContent | undefined,
): Promise<Readable> {
  const blocks = wholeBlocks(wanted, blob.size);
  let position = blocks.start;

  /** The wanted bytes of the next segment */
  async function next(): Promise<Buffer> {
    const start = position;
    const end = Math.min(blocks.end, start + segmentBytes - 1);
    const segment = await file.read({ start, end });
    if (known !== undefined) verify(blob, known, start, segment);
    position = end + 1;
    return segment.subarray(Math.max(0, wanted.start - start), wanted.end + 1 - start);
  }

  const first = await next();
  const stream = new Readable({
    // Buffers one segment; the next is read when the consumer has taken this one.
    highWaterMark: 1,
    read() {
      if (position > blocks.end) this.push(null);
      else
        next().then(
          (segment) => this.push(segment),
          (error) => this.destroy(error),
        );
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        (closing) => done(error ?? closing),
      );
    },
  });
  if (first.length > 0) stream.push(first);
  else stream.push(null);
  return stream;
}
