import { Argument, Option } from 'commander';
import type { CommandLine } from './command-line.ts';

export function registerHook(line: CommandLine): void {
  line.program
    .command('hook')
    .description('what the hooks of agents call, with their input on stdin')
    .addArgument(
      new Argument('<event>', 'which hook; store is what capture starts in the background').choices([
        'session-start',
        'prompt',
        'capture',
        'store',
      ]),
    )
    .addOption(
      new Option('--host <name>', 'the agent, whose form the answer has')
        .choices(['claude-code', 'codex', 'gemini', 'openclaw'])
        .default('claude-code'),
    )
    .action(async (event, options) =>
      (await import('../commands/hook.ts')).hook(event, options, line.environment),
    );
}
