import { findReadable } from '../aggregator/find-readable.ts';
import { blobTooLarge } from '../base/read-errors.ts';
import { columnBytes } from '../quilt/quilt-layout.ts';
import type { OpenQuilt } from '../quilt/quilt-reader.ts';
import type { BlobStoreContext } from './context.ts';
import { throwQuiltReadFailure } from './quilt-api-errors.ts';

/**
 * Opens the quilt with this id. `--max-blob-size` does not apply to it, because only a patch is requested. Throws
 * like `findReadable`, 400 for a blob that is not a quilt, 500 if its bytes are damaged and 503 if they cannot be
 * read.
 */
export async function openQuilt(context: BlobStoreContext, quiltId: string): Promise<OpenQuilt> {
  const limits = { ...context.limits, maxBlobBytes: Number.POSITIVE_INFINITY };
  const blob = await findReadable({ ...context, limits }, quiltId);
  return context.quilts.open(blob).catch(throwQuiltReadFailure);
}

/** Throws 403 if the columns are larger than `--max-blob-size`, like the real aggregator. */
export function checkColumnsSize(
  { limits }: Pick<BlobStoreContext, 'limits'>,
  { columns }: OpenQuilt,
  count: number,
): void {
  if (count * columnBytes(columns.layout) > limits.maxBlobBytes) throw blobTooLarge(limits.maxBlobBytes);
}
