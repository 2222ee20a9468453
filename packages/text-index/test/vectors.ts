import { readFileSync } from 'node:fs';

type Instead = readonly (readonly [term: string, of: number])[];

/**
 * Results of tokenizer 2 as the relayer computed them before this package existed. With other results, stored index
 * entries would no longer be found: change `tokenizerVersion` together with this file.
 */
export const vectors: {
  tokenizer: number;
  texts: readonly {
    text: string;
    latin: readonly string[];
    terms: readonly string[];
    distinctions: string;
  }[];
  questions: readonly {
    text: string;
    terms: readonly string[];
    forms: Instead;
    related: Instead;
    /** Related terms with those for embedders that do not know what words mean */
    everyday: Instead;
    spelled: readonly string[];
    names: readonly number[];
  }[];
  spellings: readonly { word: string; sha256: string }[];
  /** Key: 32 bytes of 7; vector: `plainVector` */
  vectorMap: readonly { dimension: number; first: readonly number[]; sha256: string }[];
} = JSON.parse(readFileSync(new URL('../vectors/text-index-v2.json', import.meta.url), 'utf8'));

/** The vector that `vectorMap` maps. */
export function plainVector(dimension: number): Float32Array {
  return Float32Array.from({ length: dimension }, (_, i) => ((i * 37) % 101) / 50 - 1);
}
