import { decodeVector } from '@memrelay/relayer/db/vector';
import { normalize } from '@memrelay/relayer/embedding/embedder';
import { createVectorMap } from '@memrelay/relayer/embedding/vector-map';
import { createBlindIndex } from '@memrelay/relayer/keywords/blind-index';
import { lengthOf } from '@memrelay/relayer/keywords/bm25';
import { questionOf } from '@memrelay/relayer/keywords/question';
import { termsOf } from '@memrelay/relayer/keywords/terms';
import { fuse, lexicalWeights, modelWeights } from '@memrelay/relayer/memories/fusion';
import type { Match } from '@memrelay/relayer/memories/search';

/** A memory that a search found. */
export type SearchMatch = Match;

/** Parts of the relayer's index, for measurements of what its rows tell (bench/README.md, "Leakage"). */
export const indexParts = {
  decodeVector,
  normalize,
  createVectorMap,
  createBlindIndex,
  lengthOf,
  questionOf,
  termsOf,
  fuse,
  lexicalWeights,
  modelWeights,
};
