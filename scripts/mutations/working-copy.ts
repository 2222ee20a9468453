import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { linkModules } from '@memrelay/dev-env/link-modules';
import type { Mutation } from './mutation.ts';

/** A copy of the repository in which files can be changed without touching the checkout. */
export interface WorkingCopy {
  root: string;
  /** Applies a mutation and returns a function that reverts it. */
  apply(mutation: Mutation): () => void;
  remove(): void;
}

export function createWorkingCopy(repository: string): WorkingCopy {
  const root = mkdtempSync(join(tmpdir(), 'memrelay-mutations-'));
  for (const path of sourceFiles(repository)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(join(repository, path), join(root, path));
  }
  linkModules(join(repository, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    apply({ file, from, to }) {
      const path = join(root, file);
      const source = readFileSync(path, 'utf8');
      // A function, because `$` in a replacement string has a special meaning
      writeFileSync(
        path,
        source.replace(from, () => to),
      );
      return () => writeFileSync(path, source);
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Tracked files, and new ones that are not ignored. */
function sourceFiles(repository: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed
    .split('\0')
    .filter((path) => path !== '' && lstatSync(join(repository, path), { throwIfNoEntry: false })?.isFile());
}
