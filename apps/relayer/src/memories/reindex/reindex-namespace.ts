import { recipientPkBytes } from '@memrelay/envelope/header';
import { ApiError } from '@memrelay/protocol/errors';
import type { ReindexFailure } from '@memrelay/protocol/reindex';
import type { Caller } from '../../accounts/caller.ts';
import type { Db } from '../../base/db/db.ts';
import { decodeVector } from '../../base/db/vector.ts';
import { EmbeddingError } from '../../index/embedding/embedder.ts';
import type { IndexData, TextIndexer } from '../../index/index-data.ts';
import { readStoredVectors } from '../../index/rows/stored-vectors.ts';
import { type OpenParts, openEnvelopes } from '../reading/open-envelopes.ts';
import { type EnvelopeSources, readEnvelopes } from '../reading/read-envelopes.ts';
import type { NamespaceTags } from '../reading/scope-namespaces.ts';
import { ownKeys } from '../rows/key-rows.ts';
import {
  nextStale,
  type Reindexed,
  type StaleMemory,
  type StaleNamespace,
  saveReindexed,
  saveUnembedded,
} from '../rows/stale-rows.ts';

export const firstId = '00000000-0000-0000-0000-000000000000';

/** Memories of one step, which are read, opened, embedded and saved together */
const memoriesAtOnce = 16;
const bytesAtOnce = 4 * 1024 * 1024;

/** The result of one step of the pass through a namespace. */
export interface ReindexStep {
  reindexed: number;
  failed: { id: string; reason: ReindexFailure }[];
  /** The next step continues after this memory; undefined if none is left */
  after: string | undefined;
}

export interface StepOptions {
  after: string;
  /** Leave out memories that failed within the last hour */
  exceptTried: boolean;
  leaseToken: string;
}

export interface ReindexStepParts extends OpenParts, EnvelopeSources, NamespaceTags {
  indexer: Pick<TextIndexer, 'indexTexts'>;
}

/**
 * Indexes the next few stale memories of a namespace again, with the caller's credential. Texts that have vectors of the
 * current model are not embedded again. A failure affects only its memory and is recorded with its reason. Undefined if
 * the lease is lost. Throws `ApiError` if the credential is refused or a dependency is unavailable.
 */
export async function reindexStep(
  parts: ReindexStepParts,
  caller: Caller,
  place: StaleNamespace,
  { after, exceptTried, leaseToken }: StepOptions,
): Promise<ReindexStep | undefined> {
  const { db } = parts;
  const { accountId, namespace } = place;
  const found = await nextStale(db, place, { after, exceptTried, limit: memoriesAtOnce });
  const batch = withinBytes(found);
  if (batch.length === 0) return { reindexed: 0, failed: [], after: undefined };
  const failed: ReindexStep['failed'] = [];
  const envelopes = await readEnvelopes(parts, accountId, batch);
  const tag = parts.tagOf(caller.account.origin, namespace);
  const isOwn = await ownKeys(db, accountId, tag);
  const toOpen: { match: StaleMemory }[] = [];
  const bytes: Buffer[] = [];
  for (const [i, memory] of batch.entries()) {
    const envelope = envelopes[i];
    if (!envelope) failed.push({ id: memory.id, reason: 'unreadable' });
    else if (!memory.envelopeId || !isOwn(recipientPkBytes(envelope)))
      failed.push({ id: memory.id, reason: 'client_encrypted' });
    else {
      toOpen.push({ match: memory });
      bytes.push(envelope);
    }
  }
  const texts = toOpen.length > 0 ? await openEnvelopes(parts, caller, namespace, toOpen, bytes, true) : [];
  const readable: ReadableText[] = [];
  const vectors = await currentVectors(db, place, batch);
  for (const [i, { match }] of toOpen.entries()) {
    const text = texts[i];
    if (text === undefined) failed.push({ id: match.id, reason: 'not_opened' });
    else readable.push({ id: match.id, text, imported: vectors.get(match.id) });
  }
  const { reindexed, rejected } = await embed(parts, accountId, tag, readable);
  failed.push(...rejected.map((id) => ({ id, reason: 'embedding_rejected' as const })));
  const saved = reindexed.length > 0 ? await saveReindexed(db, place, leaseToken, reindexed) : [];
  if (!saved) return undefined;
  await saveUnembedded(db, place, failed);
  const isLast = batch.length === found.length && found.length < memoriesAtOnce;
  return { reindexed: saved.length, failed, after: isLast ? undefined : batch.at(-1)!.id };
}

/** The first memories that fit; at least one. */
function withinBytes(found: readonly StaleMemory[]): StaleMemory[] {
  let bytes = 0;
  const end = found.findIndex(({ size }, i) => {
    bytes += size;
    return i > 0 && bytes > bytesAtOnce;
  });
  return end === -1 ? [...found] : found.slice(0, end);
}

interface ReadableText {
  id: string;
  text: string;
  /** Its vectors of the current model; undefined if it has none */
  imported: readonly Float32Array[] | undefined;
}

/** Vectors of the current model by memory id, with the account's map applied. */
async function currentVectors(
  db: Db,
  { accountId, model }: StaleNamespace,
  batch: readonly StaleMemory[],
): Promise<Map<string, Float32Array[]>> {
  const ids = batch.filter(({ embedded }) => embedded).map(({ id }) => id);
  const found = new Map<string, Float32Array[]>();
  if (ids.length === 0) return found;
  for (const { memoryId, bytes } of await readStoredVectors(db, accountId, ids, model))
    found.set(memoryId, [...(found.get(memoryId) ?? []), decodeVector(bytes)]);
  return found;
}

/** Embeds all texts in one call, or one by one if the provider rejects them. Throws `embedding_unavailable`. */
async function embed(
  parts: Pick<ReindexStepParts, 'indexer'>,
  accountId: Buffer,
  tag: Uint8Array,
  readable: readonly ReadableText[],
): Promise<{ reindexed: Reindexed[]; rejected: string[] }> {
  if (readable.length === 0) return { reindexed: [], rejected: [] };
  let data: IndexData[];
  try {
    data = await parts.indexer.indexTexts(
      readable.map(({ text, imported }) => ({ accountId, tag, text, imported })),
    );
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    if (error.kind === 'transient') throw new ApiError('embedding_unavailable', { cause: error });
    if (readable.length === 1) return { reindexed: [], rejected: [readable[0]!.id] };
    const each = [];
    for (const one of readable) each.push(await embed(parts, accountId, tag, [one]));
    return {
      reindexed: each.flatMap(({ reindexed }) => reindexed),
      rejected: each.flatMap(({ rejected }) => rejected),
    };
  }
  return { reindexed: readable.map(({ id }, i) => ({ id, data: data[i]! })), rejected: [] };
}
