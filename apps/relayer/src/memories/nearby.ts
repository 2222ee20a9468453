import { ApiError } from '@memrelay/protocol/errors';
import pLimit from 'p-limit';
import type { Caller } from '../auth/caller.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import { EmbeddingError } from '../embedding/embedder.ts';
import { openEnvelopes } from './open-envelopes.ts';
import { readEnvelopes } from './read-envelopes.ts';
import { type Match, searchMemories } from './search.ts';

/** A memory that the caller could read just now. */
export interface KnownMemory {
  id: string;
  text: string;
  blobId: string | undefined;
  envelopeId: Buffer | undefined;
}

/** What was found near some texts. */
export interface Nearby {
  /** For each text the memories near it, nearest first; those that another replaces are left out */
  of: readonly (readonly KnownMemory[])[];
}

const searchesAtOnce = 4;

/**
 * The memories of a namespace near each text, pending ones included, opened with the credential of the caller, who must
 * have READ there. One that does not open is left out. Throws `ApiError`.
 */
export async function memoriesNear(
  context: RelayerContext,
  caller: Caller,
  namespace: string,
  texts: readonly string[],
  perText: number,
): Promise<Nearby> {
  const accountId = hexToBytes(caller.account.accountId);
  const { model } = context.embedder;
  if (texts.length === 0 || !(await hasVectors(context, accountId, namespace)))
    return { of: texts.map(() => []) };
  const vectors = await context.embedder
    .embed(
      texts,
      texts.map(() => accountId),
    )
    .catch((cause: unknown) => {
      throw cause instanceof EmbeddingError ? new ApiError('embedding_unavailable', { cause }) : cause;
    });
  const size = await context.namespaceSizes.sizeOf(accountId, namespace, model);
  const map = context.vectors.mapOf(accountId);
  const limit = pLimit(searchesAtOnce);
  const query = { accountId, namespace, model, tokens: [], limit: perText, includePending: true };
  const found = await Promise.all(
    vectors.map((vector) =>
      limit(async () => {
        const { matches } = await searchMemories(context.db, { ...query, vector: map.apply(vector) }, size);
        return matches.filter(({ supersededBy }) => supersededBy === undefined);
      }),
    ),
  );
  const opened = await open(context, caller, namespace, found.flat());
  return { of: found.map((matches) => matches.flatMap(({ id }) => opened.get(id) ?? [])) };
}

/** Asked anew, since a size may be some seconds old: where there is nothing no provider need be paid. */
async function hasVectors(
  { db, embedder }: RelayerContext,
  accountId: Buffer,
  namespace: string,
): Promise<boolean> {
  const { rows } = await db.query(
    'SELECT 1 FROM memory_vector WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3 LIMIT 1',
    [accountId, namespace, embedder.model],
  );
  return rows.length > 0;
}

async function open(
  context: RelayerContext,
  caller: Caller,
  namespace: string,
  matches: readonly Match[],
): Promise<Map<string, KnownMemory>> {
  const distinct = [...new Map(matches.map((match) => [match.id, match])).values()];
  if (distinct.length === 0) return new Map();
  const envelopes = await readEnvelopes(context, hexToBytes(caller.account.accountId), distinct);
  const asRanked = distinct.map((match) => ({ match }));
  const texts = await openEnvelopes(context, caller, namespace, asRanked, envelopes);
  return new Map(
    distinct.flatMap(({ id, blobId, envelopeId }, i) => {
      const text = texts[i];
      return text === undefined ? [] : [[id, { id, text, blobId, envelopeId }] as const];
    }),
  );
}
