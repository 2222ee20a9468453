import './node-20.mjs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { followUrls } from './follow-urls.mjs';
import { listLicences } from './licences.mjs';
import { newDatabase, writeNewDatabase } from './new-database.mjs';
import { root } from './repository.mjs';

/** @typedef {import('./packages.mjs').PackageBuild} PackageBuild */

/**
 * @typedef {object} BundleOptions
 * @property {boolean} [complete] with declarations and source maps, as in a published package
 */

const mcp = join(root, 'packages/mcp/bin/memrelay-mcp.mjs');
const pagesFolder = join(root, 'apps/dashboard/dist');
const pagesBuilder = join(root, 'apps/dashboard/build/bundle-pages.mjs');
const older = fileURLToPath(new URL('./node-20.mjs', import.meta.url));

/** Output names of these paths: the entry of the tools, and what the build creates, the pages and an empty database. */
const known = {
  [mcp]: { name: 'memrelay-mcp.js', module: join(root, 'packages/mcp/src/stdio/main.ts') },
  [pagesFolder]: { name: 'pages/' },
  [newDatabase]: { name: basename(newDatabase) },
};

/**
 * Bundles a package into `outDir`, which must be absent or empty.
 * @param {PackageBuild} item
 * @param {string} outDir
 * @param {BundleOptions} [options]
 */
export async function bundlePackage(item, outDir, { complete = false } = {}) {
  // Loaded here, after the definitions that it needs on an older Node
  const { build } = await import('tsdown');
  const source = (/** @type {string} */ name) => join(root, item.folder, item.entries[name] ?? '');
  const own = [...item.external, ...Object.keys(item.imports ?? {})].map(
    (name) => new RegExp(`^${name.replaceAll('.', '\\.')}(/|$)`),
  );
  /** @type {import('tsdown').InlineConfig} */
  const common = {
    outDir,
    cwd: root,
    tsconfig: join(root, 'tsconfig.node.json'),
    config: false,
    clean: false,
    target: 'es2022',
    logLevel: 'error',
    report: false,
    sourcemap: complete,
    dts: false,
    // Stack traces stay readable
    minify: false,
  };
  if (item.kind === 'program') {
    await Promise.all([
      build({
        ...common,
        entry: Object.fromEntries(Object.keys(item.entries).map((name) => [name, source(name)])),
        platform: 'node',
        format: 'esm',
        outExtensions: () => ({ js: '.js' }),
        deps: { alwaysBundle: [/./], neverBundle: own },
        // Its other form requires files by paths that no bundler can follow
        alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') },
        plugins: [
          withoutPagesBuilder(),
          loadOlder(),
          followUrls({ known }),
          listLicences(),
          leanMaps(),
          ascii(),
          httpAlone(),
        ],
      }),
      ...(item.sources?.includes('apps')
        ? [writePages(join(outDir, 'pages')), writeNewDatabaseInto(outDir)]
        : []),
    ]);
  } else {
    const entry = Object.fromEntries(Object.keys(item.entries).map((name) => [name, source(name)]));
    const library = { ...common, entry, platform: /** @type {const} */ ('node'), shims: true };
    const plugins = (/** @type {string} */ extension) => [
      followUrls({ known, extension }),
      listLicences(),
      leanMaps(),
    ];
    await build({
      ...library,
      format: 'esm',
      outExtensions: () => ({ js: '.js' }),
      deps: { alwaysBundle: [/./], neverBundle: own },
      plugins: plugins('.js'),
    });
    // The noble and scure packages are ESM only: in CommonJS they are part of the bundle
    const peers = own.filter(
      (name) =>
        [...(item.peers ?? []), ...(item.required ?? [])].some((peer) => name.test(peer)) ||
        name.test('piscina'),
    );
    const imports = Object.keys(item.imports ?? {}).map((name) => new RegExp(`^${name}$`));
    await build({
      ...library,
      format: 'cjs',
      outDir: join(outDir, 'cjs'),
      outExtensions: () => ({ js: '.cjs' }),
      deps: { alwaysBundle: [/./], neverBundle: [...peers, ...imports] },
      plugins: plugins('.cjs'),
    });
  }
  if (complete && item.declared.length > 0) await writeDeclarations(item, outDir, own, common);
}

/**
 * Writes the declarations of the public entries, each with all types that it uses.
 * @param {PackageBuild} item
 * @param {string} outDir
 * @param {RegExp[]} own
 * @param {import('tsdown').InlineConfig} common
 */
async function writeDeclarations(item, outDir, own, common) {
  const { build } = await import('tsdown');
  await build({
    ...common,
    entry: Object.fromEntries(
      item.declared.map((name) => [name, join(root, item.folder, item.entries[name] ?? '')]),
    ),
    format: 'esm',
    sourcemap: false,
    dts: { emitDtsOnly: true, eager: true, sourcemap: false },
    outExtensions: () => ({ dts: '.d.ts' }),
    deps: { alwaysBundle: [/^@memrelay\//], neverBundle: [/^(?!@memrelay\/|[./]|#)/, ...own] },
  });
  for (const name of await readdir(outDir)) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(outDir, name);
    // Removes imports of packages whose types are no longer used
    const text = (await readFile(path, 'utf8')).replace(/^import "[^"]+";\n/gm, '');
    await writeFile(path, text);
    if (item.kind !== 'library') continue;
    const required = text.replace(/(from "\.\/[^"]+)\.js"/g, '$1.cjs"');
    await writeFile(join(outDir, 'cjs', name.replace(/ts$/, 'cts')), required);
  }
}

/** @param {string} outDir */
async function writeNewDatabaseInto(outDir) {
  await mkdir(outDir, { recursive: true });
  await writeNewDatabase(join(outDir, basename(newDatabase)));
}

/** @param {string} outDir */
async function writePages(outDir) {
  const { bundlePages } = await import('../../apps/dashboard/build/bundle-pages.mjs');
  const { files, sources } = await bundlePages(root, [/** @type {import('vite').Plugin} */ (listLicences())]);
  for (const [file, body] of Object.entries(files)) {
    await mkdir(dirname(join(outDir, file)), { recursive: true });
    await writeFile(join(outDir, file), body);
  }
  await writeFile(join(outDir, 'build.json'), JSON.stringify({ files: Object.keys(files), sources }));
}

/**
 * A plugin that leaves out the builder of the dashboard's pages: a package contains the built pages, but no bundler.
 * @returns {import('rolldown').Plugin}
 */
function withoutPagesBuilder() {
  return {
    name: 'without-pages-builder',
    load(id) {
      if (id !== pagesBuilder) return undefined;
      return "export async function bundlePages() { throw new Error('the pages of the dashboard are missing: install this package again'); }";
    },
  };
}

/**
 * A plugin that makes every entry, including those of threads, first load the definitions that older versions of Node lack.
 * @returns {import('rolldown').Plugin}
 */
function loadOlder() {
  return {
    name: 'load-older',
    transform: {
      order: 'post',
      handler(code, id) {
        if (!this.getModuleInfo(id)?.isEntry) return undefined;
        return { code: `import ${JSON.stringify(older)};\n${code}` };
      },
    },
  };
}

/**
 * A plugin that removes the text of other packages' files from source maps, which still name the files.
 * @returns {import('rolldown').Plugin}
 */
function leanMaps() {
  return {
    name: 'lean-maps',
    generateBundle(_options, bundle) {
      for (const each of Object.values(bundle)) {
        if (each.type !== 'asset' || !each.fileName.endsWith('.map')) continue;
        const map = JSON.parse(String(each.source));
        map.sourcesContent = map.sourcesContent?.map((/** @type {string} */ text, /** @type {number} */ i) =>
          /node_modules/.test(map.sources[i]) ? null : text,
        );
        each.source = JSON.stringify(map);
      }
    },
  };
}

/**
 * A plugin that loads `node:http` as CommonJS. An `import` reads all its exports, one of which is the WebSocket, and so loads
 * Node's HTTP client: 50 ms and 3 MB in each process, also in those that send no request.
 * @returns {import('rolldown').Plugin}
 */
function httpAlone() {
  return {
    name: 'http-alone',
    renderChunk(code) {
      const required = code.replace(
        /^import (\{[^}]*\}) from "node:http";$/m,
        (_, names) =>
          `import { createRequire as createHttpRequire } from "node:module";\nconst ${names.replaceAll(' as ', ': ')} = createHttpRequire(import.meta.url)("node:http");`,
      );
      return required === code ? null : { code: required };
    },
  };
}

/**
 * Node keeps the source of each file in memory, with two bytes for each character as soon as one of them needs two. Only
 * comments, strings, template strings and regular expressions have such characters, and all of them may escape them.
 * @returns {import('rolldown').Plugin}
 */
function ascii() {
  return {
    name: 'ascii',
    renderChunk(code) {
      const escaped = code.replace(
        /[\u0100-\uffff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      return escaped === code ? null : { code: escaped };
    },
  };
}
