import type { SourceTree } from './source-tree.ts';

export interface Finding {
  /** Relative to the root of the tree, with forward slashes. */
  file: string;
  line?: number;
  message: string;
}

/** One house rule: its name, its reason, and how to find violations. */
export interface Rule {
  name: string;
  why: string;
  find(tree: SourceTree): Finding[];
}
