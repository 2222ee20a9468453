import { fromHex, toHex } from '@memrelay/envelope/bytes';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { parseHeader } from '@memrelay/envelope/header';
import { envelopeSecret } from '@memrelay/envelope/open-envelope';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { importItems } from '@memrelay/protocol/bundle-limits';
import type { ImportRequest, ImportResponse, ImportResult } from '@memrelay/protocol/bundles';
import { limits } from '@memrelay/protocol/limits';
import { toBase64 } from '../wire/base64.ts';
import { type CamelKeys, camelKeys } from '../wire/camel-keys.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { CallOptions } from '../wire/types.ts';
import type { BundlePage, PageMemory, ReadContent } from './bundle-content.ts';
import type { Bundle } from './open-bundle.ts';

/** What an import needs of `MemRelay`. */
export interface ImportClient {
  importPage(request: ImportRequest, options?: CallOptions): Promise<ImportResponse>;
}

export interface ImportOptions extends CallOptions {
  /**
   * Ed25519 keys (hex) whose signatures are vouched for beside those that the relayer believes anyhow. Those of the
   * bundle when omitted: who knows the passphrase wrote them.
   */
  trustedWriters?: readonly string[];
  /** Requests to leave out because an earlier run has sent them: they are the same for the same bundle */
  skip?: ReadonlySet<number>;
  /** `nodePrimitives` is faster in Node */
  primitives?: Primitives;
}

/** What one request brought. */
export interface ImportedPart {
  /** Position among the requests of this bundle */
  no: number;
  /** Ids that the memories had where they come from, with what became of each */
  memories: { id: string; result: CamelKeys<ImportResult> }[];
}

/** Of one request as JSON, with room for what else stands in it. */
const requestBytes = limits.bodyBytes - 128 * 1024;

type Item = ImportRequest['memories'][number];

/**
 * Sends a bundle to a relayer, request after request. The relayer gets each envelope with the secret that opens it and
 * no other; the keys stay here. Throws `MemRelayError`; running it again stores nothing twice.
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
  const bare = { envelope: toBase64(envelope), secret: secretOf(p, envelope, keys), importance };
  if (!vectors) return bare;
  const values = Array.from({ length: vectors.count }, (_, i) => {
    const start = memory.envelope + i * vectors.bytes;
    return toBase64(bytes.subarray(start, start + vectors.bytes));
  });
  const whole = { ...bare, vectors: { model: vectors.model, values } };
  // A memory so large that it does not fit with them is embedded anew
  return sizeOf(whole) > requestBytes ? bare : whole;
}

function secretOf(p: Primitives, envelope: Uint8Array, keys: ReadonlyMap<string, Uint8Array>): string {
  try {
    const header = parseHeader(envelope, envelope.length);
    const key = keys.get(toHex(header.recipientPk)) ?? new Uint8Array(0);
    return toHex(envelopeSecret(p, header, key));
  } catch (cause) {
    if (!(cause instanceof EnvelopeError)) throw cause;
    throw new MemRelayError('invalid_bundle', 'An envelope of the bundle does not open with its keys.', {
      cause,
    });
  }
}

/** Of its JSON, about: base64 and hex are what there is. */
function sizeOf({ envelope, vectors }: Item): number {
  const values = vectors?.values.reduce((sum, value) => sum + value.length + 3, 0) ?? 0;
  return envelope.length + values + 300;
}
