import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Workbench } from './workbench.ts';

export interface AnsweringServer extends AsyncDisposable {
  /** Body of its first response with status 200 */
  body: string;
}

const answerMs = 90_000;

/** Starts a server and waits until it responds at `url`. Throws with its output if it does not. */
export async function startServer(
  bench: Workbench,
  [command, ...args]: readonly string[],
  cwd: string,
  url: string,
  env: NodeJS.ProcessEnv = {},
): Promise<AnsweringServer> {
  const child = spawn(command!, args, { cwd, env: { ...bench.environment, ...env }, stdio: 'pipe' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  let last = 'no answer';
  for (const deadline = Date.now() + answerMs; Date.now() < deadline && !hasEnded(); await setTimeout(200)) {
    const response = await fetch(url).catch(() => undefined);
    if (!response) continue;
    const body = await response.text();
    if (response.ok) return { body, [Symbol.asyncDispose]: stop };
    last = `${response.status} ${body.slice(0, 500)}`;
  }
  await stop();
  throw new Error(`${url}: ${last}\n${printed.slice(-1_500)}`);
}
