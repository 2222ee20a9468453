import type { Command } from 'commander';
import { createCommandLine } from './command-line/command-line.ts';
import { commandGroups } from './command-line/commands.ts';

/** The `memrelay` command line. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  const line = createCommandLine(environment);
  for (const { heading, register } of commandGroups) {
    line.program.commandsGroup(heading);
    for (const command of register) command(line);
  }
  return line.program;
}
