/**
 * `npm run release -- prepare VERSION` writes the version and the changelog; `npm run release -- publish` builds, packs and
 * publishes (docs/releasing.md). With `--dry-run` nothing is written outside a temporary folder and nothing is published.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packages } from '../build/packages.mjs';
import { buildPythonPackage, uploadPythonPackage } from '../build/python-package.ts';
import { root } from '../build/repository.mjs';
import { stagePackage } from '../build/stage.mjs';
import { type PackedPackage, prepare, publish, type ReleaseParts } from './release.ts';

const run = promisify(execFile);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean' }, tag: { type: 'string' } },
});
const dryRun = values['dry-run'] === true;
const [action, version] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'memrelay-release-'));

const parts: ReleaseParts = {
  files: {
    read: (path) => readFileSync(join(root, path), 'utf8'),
    write: (path, text) => (dryRun ? say(`would write ${path}`) : writeFileSync(join(root, path), text)),
    manifests: ['package.json', ...workspaceManifests()],
  },
  async lock() {
    if (!dryRun)
      await run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: root });
  },
  pack: () => packAll(),
  async isPublished({ name, version: own }) {
    if (dryRun) return false;
    return run('npm', ['view', `${name}@${own}`, 'version']).then(
      ({ stdout }) => stdout.trim() === own,
      () => false,
    );
  },
  async publish({ path }, tag) {
    const flags = ['--access', 'public', '--tag', tag, ...(dryRun ? ['--dry-run'] : ['--provenance'])];
    if (dryRun)
      say(`would run: npm publish ${path.split('/').at(-1)} ${flags.slice(0, -1).join(' ')} --provenance`);
    else {
      await run('npm', ['publish', path, ...flags], { cwd: folder });
      say(`published ${path.split('/').at(-1)}`);
    }
  },
  async buildPython() {
    const built = await buildPythonPackage(folder);
    const names = [built.sdist, built.wheel].map((path) => basename(path)).join(' ');
    say(`built ${names}`);
    return {
      version: built.version,
      async publish() {
        if (dryRun) return say(`would run: twine upload --skip-existing ${names}`);
        await uploadPythonPackage(built);
        say(`published ${names}`);
      },
    };
  },
  say,
};

try {
  if (action === 'prepare' && version) await prepare(parts, version, new Date().toISOString().slice(0, 10));
  else if (action === 'publish' || (action === undefined && dryRun)) await publish(parts, values.tag);
  else {
    say('npm run release -- prepare VERSION | publish [--tag TAG] [--dry-run]');
    process.exitCode = 2;
  }
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function workspaceManifests(): string[] {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.keys(locked)
    .filter((path) => path !== '' && !path.includes('node_modules'))
    .map((path) => `${path}/package.json`);
}

async function packAll(): Promise<PackedPackage[]> {
  const packed: PackedPackage[] = [];
  for (const item of packages) {
    const staged = join(folder, item.name.replace(/^.*\//, ''));
    await stagePackage(item, staged);
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: staged });
    const [{ filename, name, version: own }] = JSON.parse(stdout);
    packed.push({ name, version: own, path: join(folder, filename) });
    say(`packed ${filename}`);
  }
  return packed;
}
