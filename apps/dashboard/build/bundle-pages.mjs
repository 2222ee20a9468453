import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { sourceMark } from './source-mark.mjs';

const pages = fileURLToPath(new URL('../src/pages/', import.meta.url));

/**
 * Bundles every HTML file in `src/pages/` with everything it loads. Writes nothing. Plain JavaScript, because the build of the
 * packages uses it too, under any Node.
 * @param {string} repository path of the root
 * @returns {Promise<{ files: Record<string, string | Uint8Array>, sources: Record<string, string> }>} the files by path, and
 * our sources by path from the root with a mark of their content
 */
export async function bundlePages(repository) {
  const names = (await readdir(pages)).filter((name) => name.endsWith('.html'));
  const modules = new Set(names.map((name) => join(pages, name)));
  const result = await build({
    root: pages,
    configFile: false,
    envFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: names.map((name) => join(pages, name)) },
    },
    plugins: [
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
      for (const each of built.output) files[each.fileName] = each.type === 'chunk' ? each.code : each.source;
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
