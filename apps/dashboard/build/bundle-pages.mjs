import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { sourceMark } from './source-mark.mjs';

const pages = fileURLToPath(new URL('../src/pages/', import.meta.url));

/**
 * Bundles every HTML file in `src/pages/` with everything it loads. Writes nothing. Plain JavaScript, because the build of the
 * packages uses it too, under any Node.
 * @param {string} repository path of the root
 * @param {readonly import('vite').Plugin[]} [plugins] additional ones
 * @returns {Promise<{ files: Record<string, string | Uint8Array>, sources: Record<string, string> }>} the files by path (scripts
 * and styles compressed, with `.gz` at the end), and our sources by path from the root with a mark of their content
 */
export async function bundlePages(repository, plugins = []) {
  const names = (await readdir(pages)).filter((name) => name.endsWith('.html'));
  const modules = new Set(names.map((name) => join(pages, name)));
  const result = await build({
    root: pages,
    configFile: false,
    envFile: false,
    logLevel: 'error',
    publicDir: false,
    mode: 'production',
    // Vite takes both from NODE_ENV where it is set, and would bundle React's development build in tests
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: names.map((name) => join(pages, name)) },
    },
    plugins: [
      ...plugins,
      {
        name: 'list-sources',
        buildEnd() {
          for (const id of this.getModuleIds()) modules.add(id.split('?')[0] ?? id);
        },
      },
    ],
  });
  /** @type {Record<string, string | Uint8Array>} */
  const files = {};
  for (const built of [result].flat())
    if ('output' in built)
      for (const each of built.output) {
        const body = each.type === 'chunk' ? each.code : each.source;
        if (/\.(?:js|css)$/.test(each.fileName)) files[`${each.fileName}.gz`] = gzipSync(body, { level: 9 });
        else files[each.fileName] = body;
      }
  return { files, sources: await marksOf(modules, repository) };
}

/**
 * Marks of our own files only: installed packages change with the lockfile, and then everything is reinstalled.
 * @param {ReadonlySet<string>} modules
 * @param {string} repository
 */
async function marksOf(modules, repository) {
  /** @type {Record<string, string>} */
  const marks = {};
  for (const module of modules) {
    const path = relative(repository, module).split(sep).join('/');
    const mark =
      path.startsWith('..') || path.includes('node_modules/') ? undefined : await sourceMark(module);
    if (mark !== undefined) marks[path] = mark;
  }
  return marks;
}
