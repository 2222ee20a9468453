import { join } from 'node:path';
import { expectIn, type StrangerCase } from './case.ts';
import { startSystem } from './local-system.ts';
import { nodeOf } from './tools.ts';

/** Last, because it stops the system that the other cases use. */
export const restartCase: StrangerCase = {
  name: 'Ctrl-C, and the next start on Node 24 finds the memories',
  async run({ bench, install, system }) {
    const first = await system();
    expectIn(await first.stop(), 'stopped');
    const cwd = await install('memrelay', ['memrelay']);
    const second = await startSystem(bench, process.execPath, cwd, first.env);
    try {
      const command = join(cwd, 'node_modules', '.bin', 'memrelay');
      const node = await nodeOf(bench, '22');
      const output = await bench.run(node, [command, 'recall', 'tea'], { cwd, env: first.env });
      expectIn(output, 'tea');
      return `ready after ${(second.startMs / 1000).toFixed(1)} s`;
    } finally {
      await second.stop();
    }
  },
};
