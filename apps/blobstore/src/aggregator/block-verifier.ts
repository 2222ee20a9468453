import { createHash, hash } from 'node:crypto';
import { Transform } from 'node:stream';
import { blockBytes, blockCount, digestBytes } from '../storage/block-digests.ts';
import { BlobDamagedError, type ByteRange, type StoredBlob } from '../storage/storage.ts';

function blockOf(position: number): number {
  return Math.floor(position / blockBytes);
}

/** Whether all of a range is in one block. */
export function isOneBlock({ start, end }: ByteRange): boolean {
  return end < (blockOf(start) + 1) * blockBytes;
}

/** The smallest range of whole blocks around a range of a blob of `size` bytes. */
export function wholeBlocks({ start, end }: ByteRange, size: number): ByteRange {
  return { start: blockOf(start) * blockBytes, end: Math.min(size, (blockOf(end) + 1) * blockBytes) - 1 };
}

function expectDigest(blob: StoredBlob, digests: Buffer, index: number, found: Buffer): void {
  const expected = digests.subarray(index * digestBytes, (index + 1) * digestBytes);
  if (!found.equals(expected)) {
    throw new BlobDamagedError(`the content of ${blob.blobId} is not what was stored, in block ${index}`);
  }
}

/** Throws `BlobDamagedError` if the block that starts at `start` is not what was stored. */
export function expectBlock(blob: StoredBlob, digests: Buffer, start: number, bytes: Buffer): void {
  expectDigest(blob, digests, blockOf(start), hash('sha256', bytes, 'buffer'));
}

/**
 * A stream that takes the blocks around `range` (`wholeBlocks`) and emits the bytes of the range, each block only
 * after its digest was verified. Fails with `BlobDamagedError` at the first mismatch, and when the content is longer
 * or shorter than expected.
 */
export function createBlockVerifier(blob: StoredBlob, digests: Buffer, range: ByteRange): Transform {
  let index = blockOf(range.start);
  const lastIndex = blockOf(range.end);
  let digest = createHash('sha256');
  /** Chunks of the current block that are not verified yet, and their bytes */
  let buffered: Buffer[] = [];
  let filled = 0;

  /** The buffered bytes in the range, once the block is verified. */
  function endBlock(): Buffer[] {
    expectDigest(blob, digests, index, digest.digest());
    let position = index * blockBytes;
    const wanted = buffered.map((chunk) => {
      const from = Math.max(0, range.start - position);
      const to = Math.max(0, range.end + 1 - position);
      position += chunk.byteLength;
      return chunk.subarray(from, to);
    });
    index += 1;
    digest = createHash('sha256');
    buffered = [];
    filled = 0;
    return wanted.filter(({ byteLength }) => byteLength > 0);
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        for (let rest = chunk; rest.byteLength > 0; ) {
          if (index > lastIndex)
            throw new BlobDamagedError(`the content of ${blob.blobId} is longer than when it was stored`);
          const part = rest.subarray(0, blockBytes - filled);
          digest.update(part);
          buffered.push(part);
          filled += part.byteLength;
          rest = rest.subarray(part.byteLength);
          if (filled === blockBytes) for (const bytes of endBlock()) this.push(bytes);
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },

    flush(done) {
      try {
        // The last block of a blob ends where the blob does.
        if (index === lastIndex && index === blockCount(blob.size) - 1)
          for (const bytes of endBlock()) this.push(bytes);
        if (index <= lastIndex)
          throw new BlobDamagedError(`the content of ${blob.blobId} is shorter than when it was stored`);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
