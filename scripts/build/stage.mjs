import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundlePackage } from './bundle.mjs';
import { publishedManifest } from './manifest.mjs';
import { oldestNode } from './packages.mjs';
import { root } from './repository.mjs';

/** @typedef {import('./packages.mjs').PackageBuild} PackageBuild */

/**
 * Writes a package, as it will be published, to `folder`, which is emptied first.
 * @param {PackageBuild} item
 * @param {string} folder
 */
export async function stagePackage(item, folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'dist'), { recursive: true });
  await bundlePackage(item, join(folder, 'dist'), { complete: true });
  const manifest = publishedManifest(item);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const readme = await readFile(join(root, item.folder, 'README.md'), 'utf8');
  await writeFile(join(folder, 'README.md'), withAbsoluteLinks(readme, item.folder));
  for (const [name, entry] of Object.entries(item.bin ?? {})) {
    await mkdir(join(folder, 'bin'), { recursive: true });
    for (const file of ['end-with-shell', 'keep-compiled'])
      await copyFile(join(root, `scripts/launch/${file}.mjs`), join(folder, `bin/${file}.js`));
    const path = join(folder, 'bin', `${name}.js`);
    await writeFile(path, commandFile(name, entry));
    await chmod(path, 0o755);
  }
}

/**
 * The first file that a command runs. Its syntax works on any Node, so that it can report a Node that is too old.
 * @param {string} name
 * @param {string} entry
 */
function commandFile(name, entry) {
  const { major, minor } = oldestNode;
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  process.stderr.write('${name} needs Node ${major}.${minor} or newer; this is ' + process.versions.node + '. Get it from https://nodejs.org\\n');
  process.exit(1);
}
const { endWithShell } = await import('./end-with-shell.js');
const { keepCompiled } = await import('./keep-compiled.js');
endWithShell();
keepCompiled(new URL('../dist/compiled', import.meta.url));
await import('../dist/${entry}.js');
`;
}

/**
 * Replaces relative links to files of the repository, which a package does not contain, by absolute ones.
 * @param {string} text
 * @param {string} folder
 */
function withAbsoluteLinks(text, folder) {
  const base = `https://github.com/memrelay/memrelay/blob/main/${folder}/`;
  return text.replace(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_match, path) => `](${new URL(path, base).href})`);
}
