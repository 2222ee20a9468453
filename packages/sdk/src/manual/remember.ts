import { utf8 } from '@memrelay/envelope/bytes';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind } from '@memrelay/envelope/header';
import type { EnvelopeContext, EnvelopeMeta } from '@memrelay/envelope/meta';
import { namespaceTag, privateNamespaceTag } from '@memrelay/envelope/namespace-tag';
import type { Primitives } from '@memrelay/envelope/primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { toBase64, toHex } from '@memrelay/protocol/bytes';
import { encodeCoarse } from '@memrelay/protocol/coarse-vectors';
import { limits } from '@memrelay/protocol/limits';
import type { RememberAccepted } from '@memrelay/protocol/memories';
import { pollJob } from '../jobs.ts';
import { waitForJob } from '../polling.ts';
import { MemRelayError } from '../wire/errors.ts';
import { type Connection, callRelayer } from '../wire/request.ts';
import { maxAccountAgeMs } from './account-state.ts';
import type { ManualParts } from './manual-parts.ts';
import type { ManualAccepted, ManualRememberOptions } from './manual-types.ts';

/** A remember in progress. */
export interface ManualWrite {
  text: string;
  namespace: string;
  /** The vectors of the text's pieces, in order; at least one, except in a private namespace */
  vectors: readonly Float32Array[];
  embeddingModel: string | undefined;
  idempotencyKey: string;
  /** In a private namespace */
  private?: PrivateWrite | undefined;
}

/** What a write into a private namespace adds. */
export interface PrivateWrite {
  /** Fields that are sealed with the text */
  context: EnvelopeContext;
  /** The search secret of the search data, 32 hex digits; undefined with `needs_index` */
  searchId: string | undefined;
  /** Fields of the request: search data, or `needs_index` */
  body: Record<string, unknown>;
}

/** Space in a request for everything except the envelope and the vectors. */
const otherBytes = 2_048;

/**
 * Seals a text and sends the envelope. Retries send the same envelope; repeating the call with the same `idempotencyKey` and
 * text stores nothing twice. Throws `MemRelayError`, `JobFailedError`,
 * `JobTimeoutError`.
 */
export async function rememberSealed(
  connection: Connection,
  parts: ManualParts,
  { p, seed }: { p: Primitives; seed: Uint8Array },
  write: ManualWrite,
  options: ManualRememberOptions,
): Promise<ManualAccepted> {
  const { namespace, text } = write;
  const { importance, occurredAt, signal } = options;
  const state = await parts.account.read(maxAccountAgeMs, signal);
  if (!state.account.active)
    throw new MemRelayError('account_inactive', 'The owner has deactivated the account; nothing was stored.');
  const tag = (write.private ? privateNamespaceTag : namespaceTag)(p, state.origin, namespace);
  const key = await parts.keys.keyFor(state, tag);
  signal?.throwIfAborted();
  const meta = {
    created_at: new Date(connection.clock.now()).toISOString(),
    ...(occurredAt === undefined ? {} : { occurred_at: occurredAt }),
    ...(importance === undefined ? {} : { importance }),
    ...(write.private ? privateMeta(write.private) : {}),
  };
  const envelope = sealed(() =>
    sealEnvelope(p, {
      kind: envelopeKind.memory,
      origin: state.origin,
      namespace,
      ...key,
      envelopeId: newEnvelopeId(p),
      meta,
      text,
      signer: seed,
    }),
  );
  const [first, ...rest] = write.vectors;
  // Lossless: nine digits represent a 32-bit float exactly
  const vector = first && Array.from(first, (value) => Number(value.toPrecision(9)));
  const encryptedData = toBase64(envelope);
  const taken = encryptedData.length + JSON.stringify([vector, write.private?.body]).length + otherBytes;
  const room = limits.bodyBytes - taken;
  const body = {
    encrypted_data: encryptedData,
    vector,
    ...(rest.length > 0 ? { chunk_vectors: toBase64(encodeCoarse(fitting(rest, (room / 4) * 3))) } : {}),
    embedding_model: write.embeddingModel,
    importance,
    namespace,
    wait: false,
    repeat_tag: repeatTag(p, seed, write, options),
    ...write.private?.body,
  };
  const call = { method: 'POST', path: '/api/remember/manual', body, signal } as const;
  const { idempotencyKey } = write;
  const { value } = await callRelayer<RememberAccepted>(connection, { ...call, idempotencyKey });
  if (options.waitForDone === false) return { status: 'running', id: value.job_id };
  const job = await waitForJob(value.job_id, pollJob(connection, value.job_id, options), options);
  return { status: 'done', id: job.jobId, blobId: job.blobId };
}

function privateMeta({ context, searchId }: PrivateWrite): Omit<EnvelopeMeta, 'ns' | 'created_at'> {
  return { ...context, private: true, ...(searchId === undefined ? {} : { search_id: searchId }) };
}

/** Runs `seal`. Throws `invalid_argument` if the caller's input violates a rule of the envelope. */
function sealed(seal: () => Uint8Array): Uint8Array {
  try {
    return seal();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new MemRelayError(
      'invalid_argument',
      `This memory cannot be sealed: ${cause.message}. occurredAt must be an RFC 3339 time with offset and seconds, importance a finite number.`,
      { cause },
    );
  }
}

/**
 * Reduces the vectors to the available space at one byte per number: neighbours are merged until they fit, so that every part
 * of the text is still covered.
 */
export function fitting(vectors: readonly Float32Array[], maxBytes: number): readonly Float32Array[] {
  const dimension = vectors[0]?.length ?? 0;
  let merged = vectors;
  while (merged.length * dimension > maxBytes && merged.length > 1) {
    const pairs = merged;
    merged = Array.from({ length: Math.ceil(pairs.length / 2) }, (_, i) => {
      const [a, b] = [pairs[2 * i]!, pairs[2 * i + 1]];
      return b ? a.map((value, at) => value + b[at]!) : a;
    });
  }
  return merged.length * dimension > maxBytes ? [] : merged;
}

const repeatLabel = utf8('memrelay-manual-repeat-v1\n');

/** The `repeat_tag`: the same for each repetition of a call, and not guessable without the delegate key. */
function repeatTag(
  p: Primitives,
  seed: Uint8Array,
  { text, namespace, idempotencyKey, private: privateWrite }: ManualWrite,
  { importance, occurredAt }: ManualRememberOptions,
): string {
  const fields = privateWrite ? [privateWrite.context] : [];
  const covered = JSON.stringify([
    idempotencyKey,
    namespace,
    text,
    importance ?? null,
    occurredAt ?? null,
    ...fields,
  ]);
  return toHex(p.hmacSha256(seed, repeatLabel, utf8(covered)));
}
