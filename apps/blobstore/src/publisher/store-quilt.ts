import { type FileHandle, open } from 'node:fs/promises';
import { patchIdOf } from '../quilt/patch-id.ts';
import type { QuiltFile, QuiltPlan } from '../quilt/plan-quilt.ts';
import { QuiltTooLargeError } from '../quilt/quilt-errors.ts';
import { quiltBytes } from '../quilt/quilt-layout.ts';
import { type ReadFileContent, writeQuilt } from '../quilt/write-quilt.ts';
import type { StagedBlob, Storage } from '../storage/storage.ts';
import { type StoreParts, type StoreQuery, storeBlob } from './store-blob.ts';
import type { StoreResponse } from './store-response.ts';

/** The JSON response of `PUT /v1/quilts`, serialized like upstream. */
export interface QuiltStoreResponse {
  blobStoreResult: StoreResponse;
  storedQuiltBlobs: StoredPatch[];
}

export interface StoredPatch {
  identifier: string;
  quiltPatchId: string;
  /** First column, and the one after the last */
  range: [start: number, end: number];
}

/** A file whose content was written to disk as it arrived. */
export interface ReceivedFile extends QuiltFile {
  /** Where its content begins in the staged bytes */
  offset: number;
}

interface QuiltLimits {
  limits: { maxQuiltBodyBytes: number };
}

/** Attribute that marks quilts, as defined by Walrus. */
const quiltAttributes = { _walrusBlobType: 'quilt' };

/**
 * Files of unequal size can make a quilt much larger than their sum, because all columns are as long as the longest
 * file requires. A quilt may be at most this many times larger than the largest allowed body. A quilt with the
 * smallest symbols is always allowed.
 */
const maxGrowth = 4;

/** Contents up to this size are read into memory at once instead of piece by piece. */
const inMemoryBytes = 4 * 1024 * 1024;

/** Throws `QuiltTooLargeError` for a quilt that would be larger than allowed. Call before building it. */
export function checkQuiltSize({ layout }: QuiltPlan<ReceivedFile>, { limits }: QuiltLimits): void {
  const maxBytes = Math.max(maxGrowth * limits.maxQuiltBodyBytes, quiltBytes({ ...layout, symbolBytes: 2 }));
  if (quiltBytes(layout) > maxBytes) {
    throw new QuiltTooLargeError(
      `these files would make a quilt of ${quiltBytes(layout)} bytes, but at most ${maxBytes} are allowed; ` +
        'store the largest of them separately',
    );
  }
}

/**
 * Builds a quilt from received files and stores it as a blob. `contents` has the contents of the files, one after
 * another.
 */
export async function storeQuilt(
  context: StoreParts,
  plan: QuiltPlan<ReceivedFile>,
  contents: StagedBlob,
  query: StoreQuery,
): Promise<QuiltStoreResponse> {
  const staged = await stageQuilt(context, plan, contents);
  try {
    const blobStoreResult = await storeBlob(context, staged, query, quiltAttributes);
    const quiltId =
      'newlyCreated' in blobStoreResult
        ? blobStoreResult.newlyCreated.blobObject.blobId
        : blobStoreResult.alreadyCertified.blobId;
    const storedQuiltBlobs = plan.patches.map(({ file, start, end }): StoredPatch => {
      const { identifier } = file;
      return { identifier, quiltPatchId: patchIdOf({ quiltId, start, end }), range: [start, end] };
    });
    return { blobStoreResult, storedQuiltBlobs };
  } finally {
    await context.storage.discard(staged);
  }
}

async function stageQuilt(
  { storage }: { storage: Storage },
  plan: QuiltPlan<ReceivedFile>,
  contents: StagedBlob,
): Promise<StagedBlob> {
  const file = await open(contents.path, 'r');
  try {
    const readContent = contents.size <= inMemoryBytes ? inMemory(await file.readFile()) : fromDisk(file);
    return await storage.stage(writeQuilt(plan, readContent), quiltBytes(plan.layout));
  } finally {
    await file.close();
  }
}

function inMemory(contents: Buffer): ReadFileContent<ReceivedFile> {
  return async ({ offset: base }, offset, length) => contents.subarray(base + offset, base + offset + length);
}

function fromDisk(file: FileHandle): ReadFileContent<ReceivedFile> {
  return async ({ offset: base }, offset, length) => {
    const target = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(target, 0, length, base + offset);
    if (bytesRead !== length) throw new Error('the staged files of a quilt were cut short');
    return target;
  };
}
