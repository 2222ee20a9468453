import { concatBytes, readU32, u32, u64 } from '@memrelay/envelope/bytes';
import type { Primitives } from '@memrelay/envelope/primitives';
import { MemRelayError } from '../wire/errors.ts';
import { type BundleKey, bundleHeaderLength, bundleKeyOf } from './bundle-key.ts';

/**
 * After the header a bundle is a sequence of records: `last u8 ‖ length u32 ‖ nonce 12 ‖ AES-256-GCM`, little-endian, with
 * header, position and `last` as additional data. So the reader detects any change, omission, reordering, addition or
 * truncation, and only someone with the passphrase can write a bundle.
 */
const prefixLength = 1 + 4 + 12;
const nonceLength = 12;
const tagLength = 16;
/** A page of an export has at most a few MiB, and a single memory with its vectors less than 4 MiB */
const maxRecordLength = 24 * 1024 * 1024;

/** One sealed record. `index` counts from 0. */
export function sealRecord(
  p: Primitives,
  { header, key }: BundleKey,
  record: { index: number; last: boolean; plaintext: Uint8Array },
): Uint8Array {
  const last = record.last ? 1 : 0;
  // Random, not the position: a record torn by a crash is rewritten with different content
  const nonce = p.randomBytes(nonceLength);
  const sealed = p.aesGcmSeal(key, nonce, aadOf(header, record.index, last), record.plaintext);
  return concatBytes(Uint8Array.of(last), u32(sealed.length), nonce, sealed);
}

export interface BundleRecord {
  index: number;
  plaintext: Uint8Array;
  last: boolean;
  /** Where the record ends in the file */
  end: number;
}

export interface OpenedRecords {
  key: BundleKey;
  /** In order. Throws `wrong_passphrase` at the first record, `bundle_cut_off` if records are missing at the end, `invalid_bundle`. */
  records: AsyncGenerator<BundleRecord, void, undefined>;
}

/**
 * Reads the header and then the records, with one record in memory at a time. `known` avoids deriving the key again. Throws
 * like `bundleKeyOf`.
 */
export async function openRecords(
  p: Primitives,
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
  known?: BundleKey,
): Promise<OpenedRecords> {
  const read = byteReader(source);
  const header = (await read(bundleHeaderLength)).slice();
  const isKnown = known?.header.every((byte, i) => header[i] === byte);
  const key = isKnown ? known! : await bundleKeyOf(header, passphrase);
  return { key, records: readRecords(p, key, read) };
}

async function* readRecords(
  p: Primitives,
  { header, key }: BundleKey,
  read: ReadBytes,
): AsyncGenerator<BundleRecord, void, undefined> {
  let end = bundleHeaderLength;
  for (let index = 0; ; index++) {
    const prefix = (await readExactly(read, prefixLength)).slice();
    const last = prefix[0]!;
    const length = readU32(prefix, 1);
    if (last > 1 || length < tagLength || length > maxRecordLength) throw damaged(index);
    const sealed = await readExactly(read, length);
    const plaintext = p.aesGcmOpen(key, prefix.subarray(5), aadOf(header, index, last), sealed);
    if (plaintext === undefined) throw damaged(index);
    end += prefixLength + length;
    if (last === 1 && (await read(1)).length > 0)
      throw new MemRelayError('invalid_bundle', 'There is data after the end of the bundle.');
    yield { index, plaintext, last: last === 1, end };
    if (last === 1) return;
  }
}

function aadOf(header: Uint8Array, index: number, last: number): Uint8Array {
  return concatBytes(header, u64(BigInt(index)), Uint8Array.of(last));
}

function damaged(index: number): MemRelayError {
  if (index > 0) return new MemRelayError('invalid_bundle', 'The bundle is damaged or was modified.');
  return new MemRelayError(
    'wrong_passphrase',
    'The passphrase is wrong, or the beginning of the bundle is damaged.',
  );
}

async function readExactly(read: ReadBytes, length: number): Promise<Uint8Array> {
  const bytes = await read(length);
  if (bytes.length === length) return bytes;
  throw new MemRelayError(
    'bundle_cut_off',
    'The bundle is incomplete: its export or a copy was interrupted.',
  );
}

/** The next `length` bytes; fewer only at the end. Valid until the next call. */
type ReadBytes = (length: number) => Promise<Uint8Array>;

function byteReader(source: AsyncIterable<Uint8Array>): ReadBytes {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  return async (length) => {
    const parts = [rest];
    let have = rest.length;
    while (have < length) {
      const next = await iterator.next();
      if (next.done) break;
      parts.push(next.value);
      have += next.value.length;
    }
    const all = parts.length === 1 ? rest : concatBytes(...parts);
    rest = all.subarray(length);
    return all.subarray(0, length);
  };
}
