import { Argument } from 'commander';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerCompletion(line: CommandLine): void {
  line
    .command('completion', 'print a script that lets a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action((shell, options) =>
      runCommand(options, async (output) => {
        const { completionScript } = await import('../completion/completion-script.ts');
        const script = completionScript(shell, line.program);
        output.result({ shell, script });
        output.line(script.trimEnd());
      }),
    );
}
