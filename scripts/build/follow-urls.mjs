import { cpSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';

const urlOfFile = /new URL\(\s*'(\.{1,2}\/[^']+)',\s*import\.meta\.url,?\s*\)/g;
const isModule = /\.[cm]?[jt]s$/;

/**
 * @typedef {object} FollowOptions
 * @property {Record<string, { name: string, module?: string }>} [known] output names of certain paths, for output that the build
 * creates itself or, with `module`, for a different module than the one in the URL
 * @property {string} [extension] of bundled modules, `.js` by default
 */

/**
 * A plugin that follows `new URL('./relative', import.meta.url)` in our own modules. If the URL is that of a module (a worker
 * thread, the main file of a process), the module is bundled as another entry; a folder or any other file is copied. All output
 * is in one folder, so the new URL is correct in every chunk.
 * @param {FollowOptions} [options]
 * @returns {import('rolldown').Plugin}
 */
export function followUrls({ known = {}, extension = '.js' } = {}) {
  /** Output names by path @type {Map<string, string>} */
  const names = new Map();
  /** Paths of copied files and folders, by output name @type {Map<string, string>} */
  const copied = new Map();

  /** @param {string} wanted @param {string} end */
  const freeName = (wanted, end = '') => {
    const taken = new Set(names.values());
    for (let n = 1; ; n++) {
      const name = `${wanted}${n === 1 ? '' : `-${n}`}${end}`;
      if (!taken.has(name)) return name;
    }
  };

  return {
    name: 'follow-urls',
    transform: {
      filter: { id: { exclude: /node_modules/ }, code: 'import.meta.url' },
      handler(code, id) {
        if (!isModule.test(id)) return undefined;
        /** @param {string} path @returns {string | undefined} */
        const outputOf = (path) => {
          const own = known[path];
          if (own) {
            if (own.module) follow(own.module, own.name);
            return own.name;
          }
          const stats = statSync(path, { throwIfNoEntry: false });
          if (!stats) return undefined;
          const name = names.get(path) ?? (stats.isFile() && isModule.test(path) ? follow(path) : copy(path));
          return stats.isDirectory() ? `${name}/` : name;
        };
        /** @param {string} path @param {string} [wanted] */
        const follow = (path, wanted) => {
          const existing = names.get(path);
          if (existing) return existing;
          const own = basename(path, extname(path));
          // Each process has a file named `main`, so its output is named after its app
          const folder = basename(dirname(dirname(path)));
          const name = wanted ?? freeName(own.startsWith('main') ? folder : own, extension);
          names.set(path, name);
          this.emitFile({ type: 'chunk', id: path, fileName: name });
          return name;
        };
        const changed = code.replaceAll(urlOfFile, (text, /** @type {string} */ relative) => {
          const name = outputOf(resolve(dirname(id), relative));
          return name === undefined ? text : `new URL('./${name}', import.meta.url)`;
        });
        return changed === code ? undefined : { code: changed };
      },
    },
    writeBundle({ dir }) {
      for (const [name, path] of copied) cpSync(path, join(dir ?? '', name), { recursive: true });
    },
  };

  /** @param {string} path */
  function copy(path) {
    const name = freeName(basename(path));
    names.set(path, name);
    copied.set(name, path);
    return name;
  }
}
