import type { SourceTree } from './source-tree.ts';

export interface Finding {
  /** Relative to the root of the tree, with forward slashes. */
  file: string;
  line?: number;
  message: string;
}

/** One rule of the house: what it is called, why it exists, and what breaks it. */
export interface Rule {
  name: string;
  why: string;
  find(tree: SourceTree): Finding[];
}
