import { ApiError, type ErrorCode } from '@memrelay/protocol/errors';
import { noQuestion } from '@memrelay/text-index/question';
import pLimit from 'p-limit';
import type { Caller } from '../../accounts/caller.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { EmbeddingError } from '../../index/embedding/embedder.ts';
import { type OpenParts, openEnvelopes } from '../reading/open-envelopes.ts';
import { type EnvelopeSources, readEnvelopes } from '../reading/read-envelopes.ts';
import type { Match } from '../rows/match.ts';
import { hasVectors, searchMemories } from '../rows/search-rows.ts';
import type { SearchParts } from './recall.ts';

/** A memory that was opened for the caller. */
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

/** The stored memories that are near the texts of one request. */
export interface Neighbours {
  /** Returns the memories near each text, nearest first, including pending ones but not superseded ones. */
  near(texts: readonly string[], perText: number): Promise<readonly (readonly Neighbour[])[]>;
  /** Opens memories that were found, each once. Those that do not open are left out. */
  open(ids: readonly string[]): Promise<void>;
  /** The memories opened so far */
  readonly opened: ReadonlyMap<string, KnownMemory>;
  /** A dependency is unavailable: from then on `near` returns nothing */
  readonly unavailable: boolean;
}

const searchesAtOnce = 4;
/** Maximum bytes of envelopes that one request opens to compare with; further memories are left out */
const openedBytes = 2 * 1024 * 1024;

/** With these errors, facts are stored without being compared. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'decrypt_unavailable',
  'embedding_unavailable',
  'sidecar_unavailable',
]);

export interface NeighbourParts extends SearchParts, OpenParts, EnvelopeSources {
  db: Db;
}

/** `reads`: the caller has READ in the namespace and a credential; otherwise nothing is near. Throws `ApiError`. */
export function createNeighbours(
  parts: NeighbourParts,
  caller: Caller,
  namespace: string,
  reads: boolean,
): Neighbours {
  const accountId = hexToBytes(caller.account.accountId);
  const { db, embedder } = parts;
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
      parts.loggers.memories.warn({ err: error }, 'cannot compare facts with stored memories');
      unavailable = true;
      return otherwise;
    }
  }

  async function search(texts: readonly string[], perText: number): Promise<Neighbour[][]> {
    const whose = texts.map(() => accountId);
    const vectors = await embedder.embed(texts, whose).catch((cause: unknown) => {
      throw cause instanceof EmbeddingError ? new ApiError('embedding_unavailable', { cause }) : cause;
    });
    const size = await parts.namespaceSizes.sizeOf(accountId, namespace, model);
    const map = parts.vectors.mapOf(accountId);
    const limit = pLimit(searchesAtOnce);
    const turn = { accountId: caller.account.accountId, units: 1 };
    const query = { accountId, namespace, model, question: noQuestion, limit: perText, includePending: true };
    return Promise.all(
      vectors.map((vector) =>
        limit(async () => {
          const { matches } = await parts.requestBounds.searches.run(turn, () =>
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
        // Where nothing is stored, no provider is paid
        async () =>
          texts.length > 0 && (await hasVectors(db, accountId, namespace, model))
            ? search(texts, perText)
            : nothing,
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
        const envelopes = await readEnvelopes(parts, accountId, matches);
        const chosen = matches.map((match) => ({ match }));
        const texts = await openEnvelopes(parts, caller, namespace, chosen, envelopes);
        for (const [i, { id, blobId, envelopeId }] of matches.entries()) {
          const text = texts[i];
          if (text !== undefined) opened.set(id, { id, text, blobId, envelopeId });
        }
      }, undefined);
    },
  };
}
