import { packageOf, relativeTarget } from './source-imports.ts';
import type { SourceFile, SourceTree } from './source-tree.ts';

export interface OwnImport {
  /** Path of the imported file, from the root of the tree. */
  target: string;
  line: number;
}

/** Imports of files in this repository, also through a package name: `@memrelay/x/y` is `x/src/y.ts`. */
export function ownImports(tree: SourceTree, file: SourceFile): OwnImport[] {
  return file.imports.flatMap(({ specifier, line }) => {
    const relative = relativeTarget(file.path, specifier);
    if (relative) return [{ target: relative, line }];
    const name = packageOf(specifier);
    const workspace = tree.workspaces.find((candidate) => candidate.name === name);
    return workspace
      ? [{ target: `${workspace.folder}/src${specifier.slice(workspace.name.length)}.ts`, line }]
      : [];
  });
}
