import type { Finding, Rule } from './rule.ts';
import { packageOf, relativeTarget, type SourceImport } from './source-imports.ts';
import { isTest, ownerOf, type SourceFile, type SourceTree } from './source-tree.ts';

const packages = [
  'protocol',
  'process',
  'api-reference',
  'wasm',
  'blob-id',
  'capture',
  'text-index',
  'envelope',
  'chain',
  'sdk',
  'import-files',
  'mcp',
].map((name) => `packages/${name}`);
const everything = ['packages/*', 'integrations/*', 'apps/*', 'contracts'];

/** Which folder may import which. A folder that is not listed may import none of ours. */
const allowed: Record<string, readonly string[]> = {
  'packages/protocol': [],
  'packages/process': [],
  'packages/api-reference': [],
  'packages/wasm': ['packages/protocol'],
  'packages/blob-id': ['packages/protocol', 'packages/wasm'],
  'packages/capture': [],
  'packages/text-index': [],
  'packages/envelope': ['packages/protocol'],
  'packages/chain': ['packages/protocol'],
  'packages/sdk': ['packages/protocol', 'packages/envelope', 'packages/text-index'],
  'packages/import-files': ['packages/protocol', 'packages/sdk'],
  'packages/mcp': [
    'packages/sdk',
    'packages/protocol',
    'packages/envelope',
    'packages/chain',
    'packages/capture',
  ],
  'packages/adapter': ['packages/protocol', 'packages/sdk', 'packages/mcp'],
  // Adapters of agent frameworks
  'integrations/*': ['packages/adapter', 'packages/capture', 'packages/sdk'],
  'apps/*': packages,
  // These two start the apps
  'apps/memrelay': everything,
  testing: everything,
  bench: [...packages, 'testing'],
  // Reads the pages and renders them
  site: [...packages, 'testing'],
  contracts: packages,
  docs: packages,
  examples: packages,
  // The build bundles its pages.
  scripts: ['testing', 'apps/dashboard', 'packages/process', 'packages/capture'],
};

/** Commands of a clone, which build themselves. Packages have different files for them (scripts/build/stage.mjs). */
const commandOfClone = /^(apps|packages)\/[^/]+\/bin\/[^/]+\.mjs$/;

/** Files of the SDK that may import the chain client and blob ids. The plain client must not contain these. */
const sdkWithChain = /^packages\/sdk\/src\/(account|manual|private)[/.-]/;

export const importDirections: Rule = {
  name: 'import-directions',
  why: 'dependencies point one way (apps to packages, packages down to protocol; apps talk to each other over HTTP), so that a part can be understood, tested and replaced without the parts above it',
  find: (tree) => tree.code.flatMap((file) => file.imports.flatMap((item) => judge(tree, file, item))),
};

function judge(tree: SourceTree, file: SourceFile, item: SourceImport): Finding[] {
  const from = ownerOf(tree, file.path);
  const target = targetOf(tree, file, item);
  if (!target) return [];
  const finding = (message: string) => [{ file: file.path, line: item.line, message }];
  const to = ownerOf(tree, target);
  if (to !== from) {
    if (to === 'scripts' && commandOfClone.test(file.path)) return [];
    const crossing = relativeTarget(file.path, item.specifier) !== undefined;
    // Scripts import by path, because they run before node_modules exists
    if (crossing && from !== 'scripts') return finding(`reaches into ${to} by path; import it by its name`);
    if (!mayImport(file.path, from, to)) return finding(`${from} must not import ${to} (${item.specifier})`);
    return [];
  }
  const plain = from === 'packages/sdk' && !sdkWithChain.test(file.path) && !isTest(file.path);
  return plain && sdkWithChain.test(target)
    ? finding('the plain client must not import account or manual')
    : [];
}

function targetOf(tree: SourceTree, file: SourceFile, item: SourceImport): string | undefined {
  const path = relativeTarget(file.path, item.specifier);
  if (path) return path;
  const name = packageOf(item.specifier);
  const workspace = tree.workspaces.find((candidate) => candidate.name === name);
  return workspace && `${workspace.folder}/`;
}

function mayImport(path: string, from: string, to: string): boolean {
  const list = allowed[from] ?? allowed[`${from.split('/')[0]}/*`] ?? [];
  if (matches(list, to)) return true;
  if (from === 'packages/sdk' && (to === 'packages/chain' || to === 'packages/blob-id'))
    return sdkWithChain.test(path) || isTest(path);
  // Model packages are built by the code that installs them
  if (path.startsWith('scripts/models/') && to === 'apps/memrelay') return true;
  // Tests may start the system through `testing`, and use any package and the contract's scenarios. The tests of the
  // documentation compare it with the command.
  const forTests = [
    'packages/*',
    'integrations/*',
    'contracts',
    'testing',
    ...(from === 'scripts' ? ['apps/memrelay'] : []),
  ];
  return isTest(path) && matches(forTests, to);
}

function matches(list: readonly string[], folder: string): boolean {
  return list.includes(folder) || list.includes(`${folder.split('/')[0]}/*`);
}
