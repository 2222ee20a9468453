import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { MemRelayError } from '../wire/errors.ts';
import { type BundleStart, decodeContent } from './bundle-content.ts';
import type { BundleKey } from './bundle-key.ts';
import { openRecords } from './bundle-records.ts';

/** The state of an interrupted export. */
export interface BundlePosition {
  key: BundleKey;
  start: BundleStart;
  records: number;
  memories: number;
  failed: number;
  /** Undefined if only the end record is missing */
  cursor: string | undefined;
  /** Length of the complete part: truncate the file to it before appending */
  bytes: number;
}

/**
 * Where to resume an interrupted export; undefined if not even its first page is complete. Throws
 * `wrong_passphrase`, `invalid_bundle`.
 */
export async function resumeBundle(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
  p: Primitives = portablePrimitives,
): Promise<BundlePosition | 'complete' | undefined> {
  let position: BundlePosition | undefined;
  try {
    const { key, records } = await openRecords(p, source, passphrase);
    let start: BundleStart | undefined;
    for await (const { index, plaintext, end } of records) {
      const { head } = decodeContent(plaintext);
      if (head.kind === 'start') start = head;
      else if (head.kind === 'page')
        position = {
          key,
          start: start!,
          records: index + 1,
          memories: (position?.memories ?? 0) + head.memories.length,
          failed: (position?.failed ?? 0) + head.failed.length,
          cursor: head.next_cursor,
          bytes: end,
        };
      else return 'complete';
    }
  } catch (error) {
    if (!(error instanceof MemRelayError) || error.code !== 'bundle_cut_off') throw error;
  }
  return position;
}
