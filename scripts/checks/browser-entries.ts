import { builtinModules } from 'node:module';
import type { Rule } from './rule.ts';
import { relativeTarget } from './source-imports.ts';
import { isTest } from './source-tree.ts';

/** Folders whose files a browser may load. */
const browserFolders = [
  'packages/sdk/src/',
  'packages/envelope/src/',
  'packages/protocol/src/',
  'apps/dashboard/src/',
];
/** Files in them that only Node uses. */
const nodeOnly = /(?:^|\/)(?:node-[^/]*|[^/]*-node|at-rest)\.ts$/;

const forBrowser = (path: string) =>
  browserFolders.some((folder) => path.startsWith(folder)) && !nodeOnly.test(path) && !isTest(path);

export const browserEntries: Rule = {
  name: 'browser-entries',
  why: 'the SDK runs in browsers, which have no Node modules; code that needs Node goes into a file named node-*.ts or *-node.ts',
  find: (tree) =>
    tree.code
      .filter(({ path }) => forBrowser(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(
            ({ specifier }) =>
              isNodes(specifier) || nodeOnly.test(relativeTarget(path, specifier) ?? `${specifier}.ts`),
          )
          .map(({ specifier, line }) => ({ file: path, line, message: `imports ${specifier}` })),
      ),
};

function isNodes(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}
