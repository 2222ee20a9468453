import { Readable } from 'node:stream';
import type { StoredBlob } from '../storage/storage.ts';
import { begun, type ConsistencyCheck, openBlob, type ReadParts } from './open-blob.ts';

/**
 * The content of several blobs, one after another; a blob is opened when the one before it is through. Throws
 * like `openBlob` for the first one, and fails the stream where a later one cannot be read.
 */
export function openConcatenation(
  parts: ReadParts,
  blobs: readonly StoredBlob[],
  check: ConsistencyCheck,
): Promise<Readable> {
  async function* contents(): AsyncGenerator<Buffer> {
    for (const blob of blobs) {
      const content = await openBlob(parts, blob, undefined, check);
      // Not released: the stream holds on to what it was given.
      if ('bytes' in content) yield content.bytes;
      else yield* content as AsyncIterable<Buffer>;
    }
  }
  return begun(Readable.from(contents(), { objectMode: false }));
}
