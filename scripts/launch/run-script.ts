import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  /** Default: that of this process */
  cwd?: string;
  /** The script is ended after this many milliseconds. */
  timeoutMs?: number;
  /** `ignore` keeps it from printing; with `at-end` it prints everything when it has ended. */
  output?: ScriptOutput;
}

export type ScriptOutput = 'inherit' | 'ignore' | 'at-end';

/**
 * Runs a script under this same Node with the terminal handed on, and returns its exit code (128 + its number
 * for a signal, as shells do). Signals end the script, not this process: it stays until the script has
 * finished cleanly.
 */
export function runScript(
  script: string,
  args: readonly string[],
  { env = process.env, cwd, timeoutMs, output = 'inherit' }: RunOptions = {},
): Promise<number> {
  const stdio = output === 'at-end' ? 'pipe' : output;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    stdio: ['inherit', stdio, stdio],
    env,
    cwd,
    timeout: timeoutMs,
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => printed.push(chunk));
  // Ctrl-C in a terminal goes to the whole group, so the script has it already; handing it on again would
  // look like a second, impatient Ctrl-C.
  const onInterrupt = () => void (process.stdin.isTTY || child.kill('SIGINT'));
  const onTerminate = () => void child.kill('SIGTERM');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onTerminate);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // With everything it has printed
    child.once('close', (code, signal) => {
      process.stdout.write(Buffer.concat(printed));
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']);
    });
  });
}
