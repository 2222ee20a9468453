import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oldestNode } from './packages.mjs';
import { root } from './repository.mjs';

/** @typedef {import('./packages.mjs').PackageBuild} PackageBuild */
/** @typedef {Record<string, unknown> & { name: string, version: string }} Manifest */

const homepage = 'https://github.com/memrelay/memrelay';

/**
 * The `package.json` of the published package. Its version and the ranges of its dependencies are those of the workspaces.
 * @param {PackageBuild} item
 * @returns {Manifest}
 */
export function publishedManifest(item) {
  const { version, license, peerDependencies = {} } = readManifest(`${item.folder}/package.json`);
  const ranges = dependencyRanges();
  /** @param {readonly string[]} names */
  const withRanges = (names) =>
    names.length > 0 ? Object.fromEntries([...names].sort().map((name) => [name, ranges[name]])) : undefined;
  const { optional = [], peers = [], required = [], external } = item;
  /** @param {string} name */
  const requiredRange = (name) => (name.startsWith('@memrelay/') ? `^${version}` : peerDependencies[name]);
  const library = item.kind === 'library';
  const subpaths = Object.entries(item.exports);
  return withoutAbsent({
    name: item.name,
    version,
    description: item.summary,
    keywords: item.keywords,
    license,
    homepage: `${homepage}#readme`,
    repository: { type: 'git', url: `git+${homepage}.git`, directory: item.folder },
    bugs: `${homepage}/issues`,
    type: 'module',
    engines: { node: `>=${oldestNode.major}.${oldestNode.minor}` },
    bin: item.bin && Object.fromEntries(Object.keys(item.bin).map((name) => [name, `bin/${name}.js`])),
    main:
      item.exports['.'] && `./dist/${library ? `cjs/${item.exports['.']}.cjs` : `${item.exports['.']}.js`}`,
    types: item.exports['.'] && `./dist/${item.exports['.']}.d.ts`,
    exports: {
      ...Object.fromEntries(subpaths.map(([subpath, entry]) => [subpath, exportOf(entry, library)])),
      './package.json': './package.json',
    },
    // For resolvers that do not support `exports`
    typesVersions:
      subpaths.length > 1
        ? {
            '*': Object.fromEntries(
              subpaths
                .filter(([subpath]) => subpath !== '.')
                .map(([subpath, entry]) => [subpath.slice(2), [`./dist/${entry}.d.ts`]]),
            ),
          }
        : undefined,
    imports:
      item.imports &&
      Object.fromEntries(
        Object.entries(item.imports).map(([name, entries]) => [
          name,
          { node: filesOf(entries.node), default: filesOf(entries.default) },
        ]),
      ),
    files: ['dist', ...(item.bin ? ['bin'] : [])],
    sideEffects: item.kind === 'library' ? false : undefined,
    dependencies: withRanges(external.filter((name) => ![...optional, ...peers, ...required].includes(name))),
    optionalDependencies: withRanges(optional),
    peerDependencies:
      required.length > 0
        ? Object.fromEntries(required.map((name) => [name, requiredRange(name)]))
        : withRanges(peers),
    peerDependenciesMeta:
      peers.length > 0 ? Object.fromEntries(peers.map((name) => [name, { optional: true }])) : undefined,
    publishConfig: { access: 'public', provenance: true },
  });
}

/** @param {string} entry @param {boolean} library */
function exportOf(entry, library) {
  const own = { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` };
  if (!library) return own;
  return {
    import: own,
    require: { types: `./dist/cjs/${entry}.d.cts`, default: `./dist/cjs/${entry}.cjs` },
  };
}

/** @param {string} entry of a library */
function filesOf(entry) {
  return { import: `./dist/${entry}.js`, require: `./dist/cjs/${entry}.cjs` };
}

/** The range of each dependency of any workspace. @returns {Record<string, string>} */
function dependencyRanges() {
  const folders = ['protocol', 'process', 'blob-id', 'envelope', 'chain', 'sdk', 'mcp'].map(
    (name) => `packages/${name}`,
  );
  const apps = ['blobstore', 'relayer', 'sidecar', 'localnet', 'memrelay'].map((name) => `apps/${name}`);
  return Object.assign(
    {},
    ...[...folders, ...apps].map((folder) => {
      const { dependencies, optionalDependencies } = readManifest(`${folder}/package.json`);
      return { ...dependencies, ...optionalDependencies };
    }),
  );
}

/** @param {string} path @returns {any} */
function readManifest(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** @template {Record<string, unknown>} T @param {T} value @returns {T} */
function withoutAbsent(value) {
  return /** @type {T} */ (
    Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
  );
}
