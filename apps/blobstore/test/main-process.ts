import { onTestFinished } from 'vitest';
import { type MainProcess, startMain } from './main-child.ts';

/** Starts `main.ts` in a separate process, which is killed after the test at the latest. */
export function spawnMain(args: string[], env: Record<string, string> = {}): MainProcess {
  const main = startMain(args, env);
  onTestFinished(async () => {
    main.child.kill('SIGKILL');
    await main.ended;
  });
  return main;
}
