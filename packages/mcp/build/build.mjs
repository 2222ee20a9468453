/**
 * Builds `dist/`: the stdio package with everything it imports, for Node 20. Plain JavaScript, because a host may start a
 * checkout with a Node that runs no TypeScript.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const self = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** Of the last build: its sources, relative to this package. It is written last, so that it dates the build. */
const sourcesFile = join(dist, 'sources.json');
/** Parts of earlier builds stay for as long as a process that was started before may still load them. */
const keptMs = 7 * 24 * 3_600_000;

/** Builds unless the last build is newer than all its sources. Prints nothing. */
export async function buildIfOld() {
  if (await isFresh()) return;
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 24) return build();
  // The bundler wants a newer Node than what it builds for; npm has one.
  await promisify(execFile)('npx', ['-y', 'node@24', self], { shell: process.platform === 'win32' });
}

async function isFresh() {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(sourcesFile), readFile(sourcesFile, 'utf8')]);
    const times = await Promise.all(JSON.parse(text).map((path) => stat(join(root, path))));
    return times.every((source) => source.mtimeMs <= mtimeMs);
  } catch {
    return false;
  }
}

async function build() {
  // Loaded lazily: it takes as long as the whole start of a built package.
  const { build: bundle } = await import('tsdown');
  const began = new Date();
  // Next to the last build, which other processes may be loading.
  const fresh = join(root, `dist/.building-${process.pid}`);
  // Installed packages change with the lockfile.
  const sources = new Set([self, join(root, '../../package-lock.json')]);
  try {
    await bundle({
      entry: { main: join(root, 'src/stdio/main.ts') },
      outDir: fresh,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      minify: false,
      dts: false,
      config: false,
      logLevel: 'silent',
      cwd: root,
      outExtensions: () => ({ js: '.mjs' }),
      deps: { alwaysBundle: [/./] },
      plugins: [
        {
          name: 'note-sources',
          generateBundle(_options, output) {
            for (const part of Object.values(output))
              if (part.type === 'chunk') for (const id of part.moduleIds) if (isOurs(id)) sources.add(id);
          },
        },
      ],
    });
    const list = [...sources].map((path) => relative(root, path)).sort();
    await writeFile(join(fresh, 'sources.json'), `${JSON.stringify(list, null, 1)}\n`);
    // A source that changes while this runs is newer than the build.
    await utimes(join(fresh, 'sources.json'), began, began);
    await publish(fresh, began);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

function isOurs(id) {
  return isAbsolute(id) && !id.includes('node_modules') && !id.includes('\0');
}

/** Moves the parts first, then the entry that names them, then the list that says how old all is. */
async function publish(fresh, began) {
  await mkdir(dist, { recursive: true });
  const order = (name) => ['main.mjs', 'sources.json'].indexOf(name);
  const names = (await readdir(fresh)).sort((a, b) => order(a) - order(b));
  for (const name of names) await rename(join(fresh, name), join(dist, name));
  for (const name of await readdir(dist)) {
    const { mtimeMs } = await stat(join(dist, name));
    if (!names.includes(name) && began - mtimeMs > keptMs) await rm(join(dist, name), { recursive: true });
  }
}

if (process.argv[1] === self) await buildIfOld();
