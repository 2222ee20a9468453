import { decodeVector } from '@memrelay/relayer/base/db/vector';
import { contextTokens, unpack } from '@memrelay/relayer/index/context-tokens';
import { accountMap } from '@memrelay/relayer/index/embedding/account-vectors';
import { normalize } from '@memrelay/relayer/index/embedding/embedder';
import { createBlindIndex } from '@memrelay/relayer/index/keywords/blind-index';
import { fuse, lexicalWeights, modelWeights } from '@memrelay/relayer/memories/recall/fusion';
import type { Match } from '@memrelay/relayer/memories/rows/match';
import { lengthOf } from '@memrelay/text-index/bm25';
import { noQuestion, questionOf, searchedTerms } from '@memrelay/text-index/question';
import { termsOf } from '@memrelay/text-index/words/terms';

/** A memory that a search found. */
export type SearchMatch = Match;

/** Parts of the relayer's index, to measure what its rows reveal (bench/README.md, "Leakage"). */
export const indexParts = {
  decodeVector,
  normalize,
  accountMap,
  createBlindIndex,
  contextTokens,
  unpack,
  lengthOf,
  noQuestion,
  questionOf,
  searchedTerms,
  termsOf,
  fuse,
  lexicalWeights,
  modelWeights,
};
