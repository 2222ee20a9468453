import type { Command } from 'commander';
import { createCommandLine } from './command-line/command-line.ts';
import { registrations } from './command-line/commands.ts';

/** The `memrelay` command line. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  const line = createCommandLine(environment);
  for (const register of registrations) register(line);
  return line.program;
}
