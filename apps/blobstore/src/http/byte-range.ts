import { invalidByteRange } from '../base/api-error.ts';
import type { ByteRange } from '../storage/storage.ts';

/**
 * Parses a `Range` header: `bytes=a-b` with both ends inside the blob (like Walrus, which does not shorten a range
 * that exceeds the blob), and, unlike Walrus, `bytes=a-` and `bytes=-n`. Throws 416 for anything else, including
 * several ranges. Undefined without a header.
 */
export function parseRange(header: string | undefined, totalBytes: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  const [first = '', last = ''] = match?.slice(1) ?? [];
  if (first === '' && last === '') throw invalidByteRange(totalBytes);
  const range =
    first === ''
      ? { start: Math.max(0, totalBytes - Number(last)), end: totalBytes - 1 }
      : { start: Number(first), end: last === '' ? totalBytes - 1 : Number(last) };
  if (range.start > range.end || range.end >= totalBytes) throw invalidByteRange(totalBytes);
  return range;
}
