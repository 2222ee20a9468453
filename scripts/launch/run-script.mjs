import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @typedef {'inherit' | 'ignore' | 'at-end'} ScriptOutput `ignore` keeps it from printing; with `at-end` it prints everything when it has ended */

/**
 * @typedef {object} RunOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string | undefined} [cwd] default: that of this process
 * @property {number | undefined} [timeoutMs] the script is ended after this many milliseconds
 * @property {ScriptOutput | undefined} [output]
 * @property {string} [node] path of another Node than this one
 */

/**
 * Runs a script with this Node (or `node`) on the same terminal, and returns its exit code (for a signal 128 plus its number,
 * as in shells). Signals are passed to the script; this process waits until the script has finished cleanly.
 * @param {string} script
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<number>}
 */
export function runScript(
  script,
  args,
  { env = process.env, cwd, timeoutMs, output = 'inherit', node = process.execPath } = {},
) {
  const stdio = output === 'at-end' ? 'pipe' : output;
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...args], {
    stdio: ['inherit', stdio, stdio],
    env,
    cwd,
    timeout: timeoutMs,
  });
  /** @type {Buffer[]} */
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
  // Ctrl-C in a terminal goes to the whole process group, so the script already has it. Passing it on would count as a second
  // Ctrl-C.
  const onInterrupt = () => void (process.stdin.isTTY || child.kill('SIGINT'));
  const onTerminate = () => void child.kill('SIGTERM');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onTerminate);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // With all of its output
    child.once('close', (code, signal) => {
      process.stdout.write(Buffer.concat(printed));
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']);
    });
  });
}
