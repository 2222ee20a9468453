import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { sourceMark } from './node-source-mark.ts';

const pages = fileURLToPath(new URL('./pages/', import.meta.url));

/** Bundles every HTML file in `pages/` with everything it loads. Writes nothing. */
export async function bundlePages(
  repository: string,
): Promise<{ files: Record<string, string | Uint8Array>; sources: Record<string, string> }> {
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
          for (const id of this.getModuleIds()) modules.add(id.split('?')[0]!);
        },
      },
    ],
  });
  const files: Record<string, string | Uint8Array> = {};
  for (const { output } of [result].flat().filter((each) => 'output' in each))
    for (const each of output) files[each.fileName] = each.type === 'chunk' ? each.code : each.source;
  return { files, sources: await marksOf(modules, repository) };
}

/** Marks of our own files only: installed packages change with the lockfile, and then everything is reinstalled. */
async function marksOf(modules: ReadonlySet<string>, repository: string): Promise<Record<string, string>> {
  const marks: Record<string, string> = {};
  for (const module of modules) {
    const path = relative(repository, module).split(sep).join('/');
    const mark =
      path.startsWith('..') || path.includes('node_modules/') ? undefined : await sourceMark(module);
    if (mark !== undefined) marks[path] = mark;
  }
  return marks;
}
