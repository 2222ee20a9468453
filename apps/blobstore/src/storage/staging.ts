import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createBlockHasher } from './block-digests.ts';
import { namingDiskErrors } from './disk-errors.ts';
import { BodyTooLargeError, type StagedBlob } from './storage.ts';

/**
 * Streams a body into a new file below `directory`, hashes it on the way, and syncs it. Each chunk is awaited before
 * the next is read, so a slow disk slows down the sender instead of filling memory.
 */
export function stageBody(
  directory: string,
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<StagedBlob> {
  return namingDiskErrors(() => receive(directory, body, limitBytes));
}

async function receive(
  directory: string,
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<StagedBlob> {
  const path = join(directory, randomUUID());
  const hash = createHash('sha256');
  const blocks = createBlockHasher();
  let size = 0;
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > limitBytes) throw new BodyTooLargeError(`the body is larger than ${limitBytes} bytes`);
      hash.update(chunk);
      blocks.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
    await handle.close();
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
  return { path, size, digest: hash.digest('base64url'), blockDigests: blocks.end() };
}
