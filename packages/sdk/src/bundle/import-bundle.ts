import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { parseHeader } from '@memrelay/envelope/header';
import { envelopeSecret } from '@memrelay/envelope/open-envelope';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { importItems } from '@memrelay/protocol/bundle-limits';
import type { ImportRequest, ImportResponse, ImportResult } from '@memrelay/protocol/bundles';
import { fromHex, toBase64, toHex } from '@memrelay/protocol/bytes';
import { limits } from '@memrelay/protocol/limits';
import { type CamelKeys, camelKeys } from '../wire/camel-keys.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { CallOptions } from '../wire/types.ts';
import type { BundlePage, PageMemory, ReadContent } from './bundle-content.ts';
import type { Bundle } from './open-bundle.ts';

/** The part of `MemRelay` that an import uses. */
export interface ImportClient {
  importPage(request: ImportRequest, options?: CallOptions): Promise<ImportResponse>;
}

export interface ImportOptions extends CallOptions {
  /**
   * Ed25519 keys (hex) to trust in addition to those that the relayer trusts anyway. Defaults to the keys in the bundle, which
   * only someone with the passphrase can have written.
   */
  trustedWriters?: readonly string[];
  /** Requests to skip because an earlier run sent them; a bundle always produces the same requests */
  skip?: ReadonlySet<number>;
  /** `nodePrimitives` is faster in Node */
  primitives?: Primitives;
}

/** The result of one request. */
export interface ImportedPart {
  /** Position among the requests of this bundle */
  no: number;
  /** The memories' ids in the bundle, with the outcome of each */
  memories: { id: string; result: CamelKeys<ImportResult> }[];
}

/** Limit of one request's JSON, with room for its other fields. */
const requestBytes = limits.bodyBytes - 128 * 1024;

type Item = ImportRequest['memories'][number];

/**
 * Sends a bundle to a relayer, one request after another. The relayer gets each envelope with the secret that opens only
 * that envelope; the keys stay here. Throws `MemRelayError`; running it again stores nothing twice.
 */
export async function* importBundle(
  client: ImportClient,
  bundle: Bundle,
  options: ImportOptions = {},
): AsyncGenerator<ImportedPart, void, undefined> {
  const { signal, skip, primitives: p = portablePrimitives } = options;
  const trusted_writers = [...(options.trustedWriters ?? bundle.trustedWriters)];
  let no = 0;
  for await (const { head, payload } of bundle.pages()) {
    for (const part of requests(p, { head: head as BundlePage, payload })) {
      const position = no++;
      if (skip?.has(position)) continue;
      const memories = part.map(({ item }) => item);
      const { results } = await client.importPage({ memories, trusted_writers }, { signal });
      yield {
        no: position,
        memories: part.map(({ id }, i) => ({ id, result: camelKeys(results[i]!) })),
      };
    }
  }
}

/** The memories of a page in as few requests as their number and size allow. */
function* requests(
  p: Primitives,
  { head, payload }: ReadContent & { head: BundlePage },
): Generator<{ id: string; item: Item }[]> {
  const keys = new Map(head.keys.map((key) => [key.recipient_pk, fromHex(key.private_key)]));
  let part: { id: string; item: Item }[] = [];
  let bytes = 0;
  let offset = 0;
  for (const memory of head.memories) {
    const item = itemOf(p, memory, keys, payload.subarray(offset));
    offset += memory.envelope + vectorBytes(memory);
    const size = sizeOf(item);
    if (part.length === importItems || (part.length > 0 && bytes + size > requestBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push({ id: memory.id, item });
    bytes += size;
  }
  if (part.length > 0) yield part;
}

function vectorBytes({ vectors }: PageMemory): number {
  return vectors ? vectors.count * vectors.bytes : 0;
}

function itemOf(
  p: Primitives,
  memory: PageMemory,
  keys: ReadonlyMap<string, Uint8Array>,
  bytes: Uint8Array,
): Item {
  const envelope = bytes.subarray(0, memory.envelope);
  const { vectors, importance } = memory;
  const withoutVectors = { envelope: toBase64(envelope), secret: secretOf(p, envelope, keys), importance };
  if (!vectors) return withoutVectors;
  const values = Array.from({ length: vectors.count }, (_, i) => {
    const start = memory.envelope + i * vectors.bytes;
    return toBase64(bytes.subarray(start, start + vectors.bytes));
  });
  const withVectors = { ...withoutVectors, vectors: { model: vectors.model, values } };
  // A memory that does not fit together with its vectors is re-embedded
  return sizeOf(withVectors) > requestBytes ? withoutVectors : withVectors;
}

function secretOf(p: Primitives, envelope: Uint8Array, keys: ReadonlyMap<string, Uint8Array>): string {
  try {
    const header = parseHeader(envelope, envelope.length);
    const key = keys.get(toHex(header.recipientPk)) ?? new Uint8Array(0);
    return toHex(envelopeSecret(p, header, key));
  } catch (cause) {
    if (!(cause instanceof EnvelopeError)) throw cause;
    throw new MemRelayError('invalid_bundle', 'An envelope in the bundle cannot be opened with its keys.', {
      cause,
    });
  }
}

/** Approximate size of its JSON, which is mostly base64 and hex. */
function sizeOf({ envelope, vectors }: Item): number {
  const values = vectors?.values.reduce((sum, value) => sum + value.length + 3, 0) ?? 0;
  return envelope.length + values + 300;
}
