import { fileURLToPath } from 'node:url';
import { readSourceTree } from '../checks/source-tree.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every file of the repository, read once. */
export const repository = readSourceTree(root);

/** All Markdown files for readers, from the root of the repository. */
export const markdownFiles: readonly string[] = repository.paths.filter((path) => path.endsWith('.md'));
