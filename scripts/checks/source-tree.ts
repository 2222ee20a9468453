import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readImports, type SourceImport } from './source-imports.ts';

/** Generated files; those of Python's tools last. */
const skippedFolders = new Set([
  ...['node_modules', 'dist', 'coverage', '.git', '.cache'],
  ...['.venv', '.mypy_cache', '.pytest_cache', '.ruff_cache', '__pycache__'],
]);
const codeFile = /\.(ts|tsx|mts|mjs|js)$/;
const workspaceParents = ['apps', 'integrations', 'packages'];
const singleWorkspaces = ['contracts', 'bench', 'testing', 'site'];

export interface SourceFile {
  path: string;
  text: string;
  imports: readonly SourceImport[];
}

export interface Workspace {
  /** Folder, for example `apps/relayer`. */
  folder: string;
  /** Package name, for example `@memrelay/relayer`. */
  name: string;
  dependencies: readonly string[];
  devDependencies: readonly string[];
}

/** Everything that the rules check, read once. Paths are relative to the root, with forward slashes. */
export interface SourceTree {
  root: string;
  /** All files, including those without code. */
  paths: readonly string[];
  code: readonly SourceFile[];
  workspaces: readonly Workspace[];
  /** Dependencies of the root package, which tests and scripts everywhere may use. */
  rootDependencies: readonly string[];
  read(path: string): string;
}

export function readSourceTree(root: string): SourceTree {
  return buildSourceTree(root, listFiles(root, ''), (path) => readFileSync(join(root, path), 'utf8'));
}

export function buildSourceTree(
  root: string,
  paths: readonly string[],
  read: (path: string) => string,
): SourceTree {
  const code = paths
    .filter((path) => codeFile.test(path))
    .map((path) => {
      const text = read(path);
      return { path, text, imports: readImports(text) };
    });
  const folders = [...workspaceParents.flatMap((parent) => childFolders(paths, parent)), ...singleWorkspaces];
  const workspaces = folders
    .filter((folder) => paths.includes(`${folder}/package.json`))
    .map((folder) => readWorkspace(folder, read));
  const manifest = paths.includes('package.json') ? readManifest(read('package.json')) : {};
  return {
    root,
    paths,
    code,
    workspaces,
    rootDependencies: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
    read,
  };
}

/** Whether a file is a test, which may do more than other code. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.split('/').includes('test');
}

/** The workspace of a file, or its top folder (`scripts`, `docs`) if it has none. */
export function ownerOf(tree: SourceTree, path: string): string {
  const workspace = tree.workspaces.find(({ folder }) => path.startsWith(`${folder}/`));
  return workspace?.folder ?? path.split('/')[0] ?? '';
}

function listFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : listFiles(root, path);
    return entry.isFile() ? [path] : [];
  });
}

function childFolders(paths: readonly string[], parent: string): string[] {
  const children = paths.filter((path) => path.startsWith(`${parent}/`)).map((path) => path.split('/')[1]);
  return [...new Set(children)].map((child) => `${parent}/${child}`);
}

interface Manifest {
  name?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

function readManifest(text: string): Manifest {
  return JSON.parse(text) as Manifest;
}

function readWorkspace(folder: string, read: (path: string) => string): Workspace {
  const manifest = readManifest(read(`${folder}/package.json`));
  return {
    folder,
    name: manifest.name ?? folder,
    dependencies: Object.keys({
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
    }),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
  };
}
