import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/repository.mjs';
import { expectIn, type StrangerCase } from './case.ts';
import { sizeOf } from './tarballs.ts';
import { RunError } from './workbench.ts';

const scripts = join(root, 'deploy/container');

/** The steps of the image, in a clean folder, and what its entry point does without settings. */
export const deployCase: StrangerCase = {
  name: 'the steps of deploy/container',
  async run({ bench, tarballs }) {
    const folder = join(bench.root, 'image');
    mkdirSync(folder);
    const environment = { ...bench.environment, HOME: bench.home };
    const installed = join(folder, 'opt');
    await bench.run('sh', [join(scripts, 'install.sh'), tarballs.get('memrelay')!.path, installed], {
      cwd: folder,
      env: environment,
      timeoutMs: 300_000,
    });
    copyFileSync(join(scripts, 'healthcheck.mjs'), join(installed, 'healthcheck.mjs'));
    const entry = join(installed, 'node_modules/memrelay/bin/memrelay.js');
    const node = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
      bench.run(process.execPath, args, { cwd: folder, env: { ...environment, ...env } });
    const failing = (run: Promise<string>): Promise<string> =>
      run.then(
        () => Promise.reject(new Error('it did not fail')),
        (error: unknown) => (error instanceof RunError ? error.output : Promise.reject(error)),
      );
    expectIn(await failing(node([entry, 'relayer'])), 'DATABASE_URL is required');
    const database = { DATABASE_URL: `pglite:${join(folder, 'database')}` };
    // A built embedded database already has its tables
    expectIn(await node([entry, 'relayer', 'migrate'], database), 'The tables are up to date.');
    const unhealthy = node([join(installed, 'healthcheck.mjs')], { PORT: '1' });
    expectIn(await failing(unhealthy), 'no answer at port 1');
    return `${Math.round(sizeOf(installed) / 1024 ** 2)} MiB without Node`;
  },
};
