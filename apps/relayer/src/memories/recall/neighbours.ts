import { ApiError, type ErrorCode } from '@memrelay/protocol/errors';
import pLimit from 'p-limit';
import type { Caller } from '../../accounts/caller.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import { EmbeddingError } from '../../index/embedding/embedder.ts';
import { noQuestion } from '../../index/keywords/question.ts';
import type { Match } from '../reading/match.ts';
import { openEnvelopes } from '../reading/open-envelopes.ts';
import { readEnvelopes } from '../reading/read-envelopes.ts';
import { searchMemories } from './search.ts';

/** A memory that the caller could read just now. */
export interface KnownMemory {
  id: string;
  text: string;
  blobId: string | undefined;
  envelopeId: Buffer | undefined;
}

export interface Neighbour {
  id: string;
  distance: number;
}

/** What is stored near the texts of one request. */
export interface Neighbours {
  /** The memories near each text, nearest first; those that another replaces are left out, pending ones are not. */
  near(texts: readonly string[], perText: number): Promise<readonly (readonly Neighbour[])[]>;
  /** Reads memories that were found, each once. One that does not open is left out. */
  open(ids: readonly string[]): Promise<void>;
  /** What was opened so far */
  readonly opened: ReadonlyMap<string, KnownMemory>;
  /** Something they need is away: from then on nothing is near */
  readonly unavailable: boolean;
}

const searchesAtOnce = 4;
/** Envelopes that one request opens to compare with, bytes; the memories beyond are left out */
const openedBytes = 2 * 1024 * 1024;

/** Facts can be kept without these, only not compared. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'decrypt_unavailable',
  'embedding_unavailable',
  'sidecar_unavailable',
]);

/** With `reads` the caller has READ in the namespace, and a credential; without it nothing is near. Throws `ApiError`. */
export function createNeighbours(
  context: RelayerContext,
  caller: Caller,
  namespace: string,
  reads: boolean,
): Neighbours {
  const accountId = hexToBytes(caller.account.accountId);
  const { db, embedder } = context;
  const { model } = embedder;
  const found = new Map<string, Match>();
  const opened = new Map<string, KnownMemory>();
  let unavailable = false;
  let room = openedBytes;

  async function unlessAway<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    if (!reads || unavailable) return otherwise;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || !passing.has(error.code)) throw error;
      context.loggers.memories.warn({ err: error }, 'facts are not compared with what is stored');
      unavailable = true;
      return otherwise;
    }
  }

  /** Asked anew, since a size may be some seconds old: where there is nothing no provider need be paid. */
  async function isEmpty(): Promise<boolean> {
    const { rows } = await db.query(
      'SELECT 1 FROM memory_vector WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3 LIMIT 1',
      [accountId, namespace, model],
    );
    return rows.length === 0;
  }

  async function search(texts: readonly string[], perText: number): Promise<Neighbour[][]> {
    const whose = texts.map(() => accountId);
    const vectors = await embedder.embed(texts, whose).catch((cause: unknown) => {
      throw cause instanceof EmbeddingError ? new ApiError('embedding_unavailable', { cause }) : cause;
    });
    const size = await context.namespaceSizes.sizeOf(accountId, namespace, model);
    const map = context.vectors.mapOf(accountId);
    const limit = pLimit(searchesAtOnce);
    const turn = { accountId: caller.account.accountId, units: 1 };
    const query = { accountId, namespace, model, question: noQuestion, limit: perText, includePending: true };
    return Promise.all(
      vectors.map((vector) =>
        limit(async () => {
          const { matches } = await context.requestBounds.searches.run(turn, () =>
            searchMemories(db, { ...query, vector: map.apply(vector) }, size),
          );
          const current = matches.filter(({ supersededBy }) => supersededBy === undefined);
          for (const match of current) found.set(match.id, match);
          return current.map(({ id, distance }) => ({ id, distance }));
        }),
      ),
    );
  }

  return {
    opened,
    get unavailable() {
      return unavailable;
    },
    near(texts, perText) {
      const nothing: Neighbour[][] = texts.map(() => []);
      return unlessAway(
        async () => (texts.length === 0 || (await isEmpty()) ? nothing : search(texts, perText)),
        nothing,
      );
    },
    open(ids) {
      const matches = [...new Set(ids)].flatMap((id) => {
        const match = found.get(id);
        if (!match || opened.has(id) || match.size > room) return [];
        room -= match.size;
        return [match];
      });
      return unlessAway(async () => {
        if (matches.length === 0) return;
        const envelopes = await readEnvelopes(context, accountId, matches);
        const chosen = matches.map((match) => ({ match }));
        const texts = await openEnvelopes(context, caller, namespace, chosen, envelopes);
        for (const [i, { id, blobId, envelopeId }] of matches.entries()) {
          const text = texts[i];
          if (text !== undefined) opened.set(id, { id, text, blobId, envelopeId });
        }
      }, undefined);
    },
  };
}
