import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { MemRelayError } from '../wire/errors.ts';
import { type BundleContent, type BundleStart, decodeContent, type ReadContent } from './bundle-content.ts';
import type { BundleKey } from './bundle-key.ts';
import { openRecords } from './bundle-records.ts';

/** A bundle that was read and verified completely. */
export interface Bundle {
  start: BundleStart;
  /** Identifies the bundle: 48 hex digits of its header */
  header: Uint8Array;
  memories: number;
  /** Memories that its export could not read */
  failed: number;
  /** Keys that the exporting server trusted; only someone with the passphrase can have listed them */
  trustedWriters: string[];
  /** The pages of the file, which is read again for each iteration */
  pages(): AsyncGenerator<ReadContent, void, undefined>;
}

/**
 * Reads a whole bundle once, so that no part of a damaged or truncated bundle, or of one with another passphrase, is used.
 * `source` returns its bytes from the start each time it is called. Throws `invalid_bundle`, `bundle_cut_off`,
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
        throw new MemRelayError('invalid_bundle', 'The records of the bundle are out of order.');
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
    throw new MemRelayError('invalid_bundle', 'The content of the bundle does not match its end record.');
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
