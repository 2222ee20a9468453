import type { Db } from '../../base/db/db.ts';
import type { CodeIndex } from '../resident/code-index.ts';
import { tokenNumber } from '../resident/postings.ts';
import type { ResidentIndexes } from '../resident/resident-indexes.ts';
import { adjacentResident, searchResident } from '../resident/search-resident.ts';
import { type Adjacent, readAdjacent } from '../rows/context-rows.ts';
import {
  type GivenPieces,
  type NamespaceSize,
  type SearchQuery,
  type SearchResult,
  searchMemories,
  tokensInUse,
} from '../rows/search-rows.ts';

/** Searches one namespace: in its tables, or in memory. */
export interface NamespaceSearch {
  search(query: SearchQuery, size: NamespaceSize): Promise<SearchResult>;
  /** The memories stored up to two before and after each of `ids`; those of `known` without their columns */
  adjacent(query: SearchQuery, ids: readonly string[], known: readonly string[]): Promise<Adjacent[]>;
  /** Which of these tokens the texts of the namespace contain */
  tokensInUse(tokens: readonly bigint[]): Promise<ReadonlySet<bigint>>;
}

export interface NamespaceSearches {
  /** The cheapest way to search a namespace of this size; finds everything that was committed before the call */
  of(
    query: Pick<SearchQuery, 'accountId' | 'namespace' | 'model' | 'tags'>,
    size: Pick<NamespaceSize, 'texts'>,
  ): Promise<NamespaceSearch>;
}

/** Without `resident`, and for a filter by tags, which the tables find by an index, it searches the tables. */
export function createNamespaceSearches(
  db: Db,
  resident?: Pick<ResidentIndexes, 'current'>,
): NamespaceSearches {
  return {
    async of({ accountId, namespace, model, tags }, { texts }) {
      const index = tags ? undefined : await resident?.current({ accountId, namespace, model }, texts);
      if (index?.kind !== 'whole')
        return {
          search: (query, size) => searchMemories(db, query, size, index && piecesOf(index, query)),
          adjacent: (query, ids, known) => readAdjacent(db, query, ids, known),
          tokensInUse: (tokens) => tokensInUse(db, accountId, namespace, tokens),
        };
      return {
        search: async (query, size) => searchResident(index, query, size),
        adjacent: async (query, ids, known) => adjacentResident(index, query, ids, new Set(known)),
        tokensInUse: async (tokens) =>
          new Set(tokens.filter((token) => index.postings.holders(tokenNumber(token)).length > 0)),
      };
    },
  };
}

const piecesOf = (index: CodeIndex, { vector, includePending }: SearchQuery): GivenPieces => ({
  shortlist: (rows) => index.shortlist(vector, rows, includePending),
});
