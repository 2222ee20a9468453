import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageNamed } from './packages.mjs';
import { stagePackage } from './stage.mjs';

/** `node scripts/build/pack.mjs NAME FILE`: packs one of the published packages into a tarball. */

const [name, file] = process.argv.slice(2);
if (!name || !file) {
  process.stderr.write('node scripts/build/pack.mjs NAME FILE\n');
  process.exit(2);
}
const folder = await mkdtemp(join(tmpdir(), 'memrelay-pack-'));
try {
  await stagePackage(packageNamed(name), folder);
  const target = dirname(file);
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', target], {
    cwd: folder,
  });
  await rename(join(target, JSON.parse(stdout)[0].filename), file);
} finally {
  await rm(folder, { recursive: true, force: true });
}
