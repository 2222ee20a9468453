import { type SpawnOptions, spawn } from 'node:child_process';

/** A command that could not be started or ended with anything but exit code 0. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** Output of the command, stdout and stderr interleaved. */
  readonly output: string;

  constructor(command: string, reason: string, output: string) {
    super(`${command}: ${reason}`);
    this.output = output;
  }
}

/**
 * Runs a command without a shell and returns what it printed (stdout and stderr together).
 * Throws `CommandError` when it cannot be started or fails.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
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
