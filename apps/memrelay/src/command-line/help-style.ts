import type { Argument, Command } from 'commander';
import { hasColours, painter } from '../terminal/colours.ts';

/** Whether a call requests JSON. Works even if the arguments are invalid. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** Adds colours to `--help` and formats usage errors like all others. Applies to commands that are added later. */
export function styleHelp(program: Command, environment: NodeJS.ProcessEnv): void {
  const paint = painter(process.stdout, environment);
  program
    .configureHelp({
      // Omits `[options]`, which every command has, to leave room for the descriptions
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
      styleTitle: (text) => paint('bold', text),
      styleCommandText: (text) => paint('cyan', text),
      styleSubcommandText: (text) => paint('cyan', text),
      styleOptionText: (text) => paint('cyan', text),
      styleArgumentText: (text) => paint('cyan', text),
    })
    .configureOutput({
      getOutHasColors: () => hasColours(process.stdout, environment),
      getErrHasColors: () => hasColours(process.stderr, environment),
      // With --json nothing is written to stderr
      writeErr: (text) => void (wantsJson(process.argv) || process.stderr.write(text)),
      // `main.ts` prints errors, as text or JSON
      outputError: () => undefined,
    });
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
