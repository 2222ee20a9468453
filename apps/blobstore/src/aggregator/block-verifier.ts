import { createHash, type Hash } from 'node:crypto';
import { Transform } from 'node:stream';
import { blockBytes, blockCount, digestBytes } from '../storage/block-digests.ts';
import { BlobDamagedError, type ByteRange, type StoredBlob } from '../storage/storage.ts';

/** The smallest range of whole blocks around a range of a blob of `size` bytes. */
export function wholeBlocks({ start, end }: ByteRange, size: number): ByteRange {
  return {
    start: start - (start % blockBytes),
    end: Math.min(size, (Math.floor(end / blockBytes) + 1) * blockBytes) - 1,
  };
}

/**
 * A stream that takes the blocks around `range` (`wholeBlocks`), or those of the whole blob, and lets out the
 * bytes of the range; each block only after its digest has been found right. Fails with `BlobDamagedError` at the
 * first that is not, and when the content is longer or shorter than it should be.
 */
export function createBlockVerifier(
  blob: StoredBlob,
  digests: Buffer,
  range: ByteRange = { start: 0, end: blob.size - 1 },
): Transform {
  let index = Math.floor(range.start / blockBytes);
  const lastIndex = blob.size === 0 ? 0 : Math.floor(range.end / blockBytes);
  let hash: Hash = createHash('sha256');
  /** Chunks of the present block, which are not let out yet, and their bytes */
  let held: Buffer[] = [];
  let filled = 0;

  function damaged(what: string): BlobDamagedError {
    return new BlobDamagedError(`the content of ${blob.blobId} ${what}`);
  }

  /** The held bytes that are in the range, once the block is found right. */
  function endBlock(): Buffer[] {
    const expected = digests.subarray(index * digestBytes, (index + 1) * digestBytes);
    if (!hash.digest().equals(expected)) throw damaged(`is not what was stored, in block ${index}`);
    let position = index * blockBytes;
    const wanted = held.map((chunk) => {
      const from = Math.max(0, range.start - position);
      const to = Math.max(0, range.end + 1 - position);
      position += chunk.byteLength;
      return chunk.subarray(from, to);
    });
    index += 1;
    hash = createHash('sha256');
    held = [];
    filled = 0;
    return wanted.filter(({ byteLength }) => byteLength > 0);
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        for (let rest = chunk; rest.byteLength > 0; ) {
          if (index > lastIndex) throw damaged('is longer than it was');
          const part = rest.subarray(0, blockBytes - filled);
          hash.update(part);
          held.push(part);
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
        if (index <= lastIndex) throw damaged('is shorter than it was');
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
