import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { MemRelayError } from '../wire/errors.ts';
import { type BundleContent, type BundleStart, decodeContent, type ReadContent } from './bundle-content.ts';
import type { BundleKey } from './bundle-key.ts';
import { openRecords } from './bundle-records.ts';

/** A bundle that was read from its first byte to its last. */
export interface Bundle {
  start: BundleStart;
  /** Names it: 48 hex digits of its header */
  header: Uint8Array;
  memories: number;
  /** What its export could not read */
  failed: number;
  /** Keys that the exporting server believed; vouched for by whoever knows the passphrase, nobody else */
  trustedWriters: string[];
  /** Pages as they stand in the file, which is read again */
  pages(): AsyncGenerator<ReadContent, void, undefined>;
}

/**
 * Reads a whole bundle once, so that of one that is damaged, cut off or of another passphrase nothing is used. `source`
 * gives its bytes from the start, each time it is called. Throws `invalid_bundle`, `bundle_cut_off`,
 * `unsupported_bundle`, `wrong_passphrase`.
 */
export async function openBundle(
  source: () => AsyncIterable<Uint8Array>,
  passphrase: string,
  p: Primitives = portablePrimitives,
): Promise<Bundle> {
  let key: BundleKey | undefined;
  async function* contents(): AsyncGenerator<ReadContent, void, undefined> {
    const opened = await openRecords(p, source(), passphrase, key);
    key = opened.key;
    for await (const { index, plaintext, last } of opened.records) {
      const content = decodeContent(plaintext);
      if ((content.head.kind === 'start') !== (index === 0) || (content.head.kind === 'end') !== last)
        throw new MemRelayError('invalid_bundle', 'The records of the bundle are not in their order.');
      yield content;
    }
  }

  let start: BundleStart | undefined;
  let end: Extract<BundleContent, { kind: 'end' }> | undefined;
  let memories = 0;
  const writers = new Set<string>();
  for await (const { head } of contents()) {
    if (head.kind === 'start') start = head;
    if (head.kind === 'end') end = head;
    if (head.kind !== 'page') continue;
    memories += head.memories.length;
    for (const writer of head.trusted_writers) writers.add(writer);
  }
  if (!start || end?.memories !== memories)
    throw new MemRelayError('invalid_bundle', 'The bundle does not hold what its end says.');
  return {
    start,
    header: key!.header,
    memories,
    failed: end.failed,
    trustedWriters: [...writers],
    async *pages() {
      for await (const content of contents()) if (content.head.kind === 'page') yield content;
    },
  };
}
