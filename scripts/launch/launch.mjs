import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtEntry } from '../build/built.mjs';
import { oldNodeMessage } from '../build/supported-node.mjs';
import { installDependencies } from './install-dependencies.mjs';
import { keepCompiled } from './keep-compiled.mjs';
import { newerNode } from './newer-node.mjs';
import { runScript } from './run-script.mjs';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Commands of the built `memrelay`, which runs on every supported Node. @type {Record<string, readonly string[]>} */
const built = { start: ['up'], demo: ['demo'] };

/** TypeScript files, which Node runs directly from version 24 on. @type {Record<string, string>} */
const scripts = {
  test: 'scripts/test.ts',
  'test:strangers': 'scripts/strangers/main.ts',
  check: 'scripts/check.ts',
  bench: 'bench/src/main.ts',
  'bench:recall': 'bench/src/recall-quality/main.ts',
  'bench:leakage': 'bench/src/leakage/main.ts',
  'conformance:blobstore': 'apps/blobstore/conformance/main.ts',
  'faults:uploads': 'testing/test/upload-faults/uploads-long.ts',
  'test:mutations': 'scripts/mutations/main.ts',
  'test:faults': 'testing/test/faults/faults-long.ts',
  'drill:backup': 'testing/test/drills/backup-long.ts',
  'drill:rolling': 'testing/test/rolling/rolling-long.ts',
  'test:api': 'testing/test/api-fuzz/main.ts',
  release: 'scripts/release/main.ts',
  sbom: 'scripts/sbom/main.ts',
  site: 'site/src/main.ts',
  models: 'scripts/models/main.ts',
};

/**
 * Installs the dependencies if needed and runs the command. Returns its exit code, or undefined if it runs in this process,
 * which then sets the exit code itself.
 * @param {readonly string[]} args
 * @returns {Promise<number | undefined>}
 */
export async function launch([name = '', ...args]) {
  const command = built[name];
  const script = scripts[name];
  if (!command && !script) {
    const names = [...Object.keys(built), ...Object.keys(scripts)].join(', ');
    process.stderr.write(`There is no command "${name}". Commands: ${names}.\n`);
    return 2;
  }
  const problem = oldNodeMessage('memrelay') ?? (await installDependencies(repositoryRoot));
  if (problem) {
    process.stderr.write(`${problem}\n`);
    return 1;
  }
  if (command) {
    const onBuild = () => void process.stderr.write('Building memrelay, once for these sources …\n');
    const entry = builtEntry('memrelay', 'memrelay', { onBuild });
    process.argv.splice(1, process.argv.length, fileURLToPath(entry), ...command, ...args);
    keepCompiled(new URL('./compiled', entry));
    await import(entry.href);
    return undefined;
  }
  const node = await newerNode(repositoryRoot);
  if (node === undefined) return 1;
  return runScript(join(repositoryRoot, script ?? ''), args, node);
}
