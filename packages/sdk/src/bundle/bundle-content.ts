import { hex32Pattern } from '@memrelay/protocol/bytes';
import { decodeFrame, encodeFrame } from '@memrelay/protocol/framing';
import { MemRelayError } from '../wire/errors.ts';

/** The content of the records: a start, pages, an end. */

export interface BundleStart {
  kind: 'start';
  /** The owner of the memories */
  account_id: string;
  created_at: string;
  /** Undefined: all namespaces of the exporting key */
  namespace?: string;
}

export interface BundlePage {
  kind: 'page';
  memories: PageMemory[];
  /** Pairs that the envelopes on this page are sealed to, hex */
  keys: { recipient_pk: string; private_key: string }[];
  /** Keys that the exporting server trusted for this account, hex */
  trusted_writers: string[];
  failed: { id: string; blob_id?: string; reason: string }[];
  /** Cursor of the next page, to resume an interrupted export */
  next_cursor?: string;
}

/** The payload contains its envelope, then its vectors. */
export interface PageMemory {
  id: string;
  namespace: string;
  created_at: string;
  importance: number;
  /** Bytes of the envelope */
  envelope: number;
  vectors?: {
    model: string;
    count: number /** Bytes of each: 32-bit floats, little-endian */;
    bytes: number;
  };
}

export interface BundleEnd {
  kind: 'end';
  memories: number;
  failed: number;
}

export type BundleContent = BundleStart | BundlePage | BundleEnd;

export interface ReadContent {
  head: BundleContent;
  payload: Uint8Array;
}

/** A plaintext of a record: its head as JSON, then the payload (`framing.ts`). */
export function encodeContent(head: BundleContent, payload: readonly Uint8Array[] = []): Uint8Array {
  return encodeFrame(head, payload);
}

/** Throws `invalid_bundle` if someone with the passphrase wrote an invalid record. */
export function decodeContent(plaintext: Uint8Array): ReadContent {
  try {
    const { head, payload } = decodeFrame(plaintext);
    const content = head as BundleContent;
    if (content.kind === 'page') checkPage(content, payload.length);
    else if (content.kind !== 'start' && content.kind !== 'end') throw new RangeError('unknown kind');
    return { head: content, payload };
  } catch (cause) {
    throw new MemRelayError('invalid_bundle', 'A record of the bundle has an unknown form.', { cause });
  }
}

function checkPage({ memories, keys, trusted_writers, failed }: BundlePage, payloadLength: number): void {
  const isHex = (text: unknown): boolean => typeof text === 'string' && hex32Pattern.test(text);
  const isLength = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  let length = 0;
  for (const { envelope, vectors, importance } of memories) {
    if (!isLength(envelope) || typeof importance !== 'number') throw new RangeError('a memory');
    if (vectors && !(isLength(vectors.count) && isLength(vectors.bytes) && typeof vectors.model === 'string'))
      throw new RangeError('vectors');
    length += envelope + (vectors ? vectors.count * vectors.bytes : 0);
  }
  if (length !== payloadLength) throw new RangeError('lengths do not add up');
  if (!keys.every((key) => isHex(key.recipient_pk) && isHex(key.private_key))) throw new RangeError('keys');
  if (!trusted_writers.every(isHex) || !Array.isArray(failed)) throw new RangeError('writers');
}
