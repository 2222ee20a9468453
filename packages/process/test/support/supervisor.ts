import { fileURLToPath } from 'node:url';
import { startSharedProcess } from '../../src/start-shared.ts';

/** A supervisor to kill: starts both parts and prints the id of their process. */
const shared = startSharedProcess({
  entry: fileURLToPath(new URL('./hosted-parts.ts', import.meta.url)),
  parts: ['first', 'second'],
  environment: { PATH: process.env.PATH },
  onLog: () => undefined,
  onOutput: () => undefined,
});
await shared.start('first', {});
await shared.start('second', {});
process.stdout.write(`${shared.pid}\n`);
