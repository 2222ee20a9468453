import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { BlobDamagedError, type Storage, type StoredBlob } from '../storage/storage.ts';
import { columnsOnDisk, computeColumnDigests } from './column-digests.ts';
import { columnsInMemory, type QuiltColumns } from './quilt-columns.ts';
import { InvalidQuiltError } from './quilt-errors.ts';
import type { IndexedPatch } from './quilt-index.ts';
import { layoutOfSize, type QuiltLayout } from './quilt-layout.ts';
import { readIndex } from './read-quilt.ts';
import { createWeightedCache } from './weighted-cache.ts';

/**
 * A quilt that is being read. Returns only verified content; throws `BlobDamagedError` if the content is damaged.
 */
export interface OpenQuilt extends AsyncDisposable {
  /** In the order of the index */
  patches: readonly IndexedPatch[];
  columns: QuiltColumns;
}

export interface QuiltReader {
  /**
   * Throws `InvalidQuiltError` for a blob that is not a quilt, `BlobDamagedError` when its content is damaged, and
   * the errors of the storage.
   */
  open(blob: StoredBlob): Promise<OpenQuilt>;
}

/** Results of verifying a quilt. They belong to its digest, so they stay valid if the file changes. */
interface Known {
  columnDigests: Buffer;
  /** An error means that the blob is not a quilt; cached so that it is not read completely for every request */
  patches: readonly IndexedPatch[] | InvalidQuiltError;
  weight: number;
}

/** Quilts up to this size are read completely and compared with their digest on every read. */
const inMemoryBytes = 1024 * 1024;

/** Indexes and digests of larger quilts are cached up to this many bytes, about 1,500 quilts. */
const knownBytes = 32 * 1024 * 1024;

/** Approximate memory of a cached error, in bytes. */
const invalidWeight = 2048;

/**
 * Reads patches without reading the whole quilt every time. A large quilt is read and verified completely once,
 * which gives a digest of each column. Later reads of a patch read only its columns and compare each with its
 * digest.
 */
export function createQuiltReader(storage: Storage, nShards: number): QuiltReader {
  const known = createWeightedCache<Known>(knownBytes);

  async function openSmall(blob: StoredBlob, layout: QuiltLayout): Promise<OpenQuilt> {
    const content = await storage.readAll(blob);
    if (createHash('sha256').update(content).digest('base64url') !== blob.digest)
      throw new BlobDamagedError('the content of a quilt has another digest');
    const columns = columnsInMemory(content, layout);
    return { columns, patches: await readIndex(columns), async [Symbol.asyncDispose]() {} };
  }

  async function learn(file: FileHandle, blob: StoredBlob, layout: QuiltLayout): Promise<Known> {
    const columnDigests = await computeColumnDigests(file, blob, layout);
    try {
      const patches = await readIndex(columnsOnDisk(file, layout, columnDigests));
      return { columnDigests, patches, weight: columnDigests.length + weightOf(patches) };
    } catch (error) {
      if (!(error instanceof InvalidQuiltError)) throw error;
      return { columnDigests: Buffer.alloc(0), patches: error, weight: invalidWeight };
    }
  }

  async function openLarge(blob: StoredBlob, layout: QuiltLayout): Promise<OpenQuilt> {
    // An open file stays readable if it is replaced or removed in the meantime.
    const file = await storage.withFile(blob, (path) => open(path, 'r'));
    try {
      const { size } = await file.stat();
      if (size !== blob.size) throw new BlobDamagedError(`a quilt of ${blob.size} bytes has ${size} on disk`);
      const { columnDigests, patches } = await known.get(blob.digest, () => learn(file, blob, layout));
      if (patches instanceof InvalidQuiltError) throw patches;
      const columns = columnsOnDisk(file, layout, columnDigests);
      return { columns, patches, [Symbol.asyncDispose]: () => file.close() };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  return {
    async open(blob) {
      const layout = layoutOfSize(blob.size, nShards);
      if (layout === undefined) throw new InvalidQuiltError('no quilt has this length');
      return blob.size <= inMemoryBytes ? openSmall(blob, layout) : openLarge(blob, layout);
    },
  };
}

/** Approximate memory of a cached index, in bytes. */
function weightOf(patches: readonly IndexedPatch[]): number {
  const textBytes = (text: string) => text.length * 2 + 32;
  return patches.reduce((sum, { identifier, tags }) => {
    const tagBytes = Array.from(tags, ([key, value]) => textBytes(key) + textBytes(value));
    return sum + textBytes(identifier) + tagBytes.reduce((total, bytes) => total + bytes, 128);
  }, 0);
}
