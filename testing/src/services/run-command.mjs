import { spawn } from 'node:child_process';

/** A command that could not be started or ended with anything but exit code 0. */
export class CommandError extends Error {
  /** @override @readonly */
  name = 'CommandError';
  /** Output of the command, stdout and stderr interleaved. @readonly @type {string} */
  output;

  /** @param {string} command @param {string} reason @param {string} output */
  constructor(command, reason, output) {
    super(`${command}: ${reason}`);
    this.output = output;
  }
}

/**
 * Runs a command without a shell and returns what it printed (stdout and stderr together).
 * Throws `CommandError` when it cannot be started or fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Omit<import('node:child_process').SpawnOptions, 'stdio'>} [options]
 * @returns {Promise<string>}
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', (error) => reject(new CommandError(command, error.message, output)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new CommandError(command, signal ? `ended by ${signal}` : `exit code ${code}`, output));
    });
  });
}
