import { decodeVector } from '@memrelay/relayer/base/db/vector';
import { contextTokens, unpack } from '@memrelay/relayer/index/context-tokens';
import { normalize } from '@memrelay/relayer/index/embedding/embedder';
import { createVectorMap } from '@memrelay/relayer/index/embedding/vector-map';
import { createBlindIndex } from '@memrelay/relayer/index/keywords/blind-index';
import { lengthOf } from '@memrelay/relayer/index/keywords/bm25';
import { noQuestion, questionOf, searchedTerms } from '@memrelay/relayer/index/keywords/question';
import { termsOf } from '@memrelay/relayer/index/keywords/terms';
import { fuse, lexicalWeights, modelWeights } from '@memrelay/relayer/memories/recall/fusion';
import type { Match } from '@memrelay/relayer/memories/rows/match';

/** A memory that a search found. */
export type SearchMatch = Match;

/** Parts of the relayer's index, to measure what its rows reveal (bench/README.md, "Leakage"). */
export const indexParts = {
  decodeVector,
  normalize,
  createVectorMap,
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
