import type { Command, Option } from 'commander';

/** What can follow a word. */
export type Values = { kind: 'any' } | { kind: 'files' } | { kind: 'words'; words: readonly string[] };

export interface CompletedOption {
  /** `--limit`, and its short form if it has one */
  names: readonly string[];
  description: string;
  /** Undefined for a switch */
  values: Values | undefined;
}

/** A command with what can be typed after it. */
export interface CompletedCommand {
  /** `account create`; empty for `memrelay` itself */
  path: string;
  name: string;
  description: string;
  options: readonly CompletedOption[];
  commands: readonly CompletedCommand[];
  /** Values of its first argument */
  values: Values;
  /** True if the argument can be repeated */
  variadic: boolean;
}

/** Everything a shell can complete, read from the registered commands. */
export function commandTree(command: Command, path: readonly string[] = []): CompletedCommand {
  const commands = command.commands.map((each) => commandTree(each, [...path, each.name()]));
  const argument = command.registeredArguments[0];
  return {
    path: path.join(' '),
    name: command.name(),
    description: plain(command.description()),
    options: [...command.options.map(completed), help],
    commands,
    values: valuesOf(argument?.argChoices, argument?.name()),
    variadic: argument?.variadic === true,
  };
}

const help: CompletedOption = { names: ['--help', '-h'], description: 'show help', values: undefined };

function completed(option: Option): CompletedOption {
  const placeholder = /<(.+)>|\[(.+)\]/.exec(option.flags)?.slice(1).join('');
  return {
    names: [option.long, option.short].filter((name) => name !== undefined),
    description: plain(option.description),
    values: placeholder === undefined ? undefined : valuesOf(option.argChoices, placeholder),
  };
}

function valuesOf(choices: readonly string[] | undefined, placeholder: string | undefined): Values {
  if (choices) return { kind: 'words', words: choices };
  return /^(?:path|file|folder)/.test(placeholder ?? '') ? { kind: 'files' } : { kind: 'any' };
}

/** Descriptions are one line, without what shells would interpret. */
function plain(text: string): string {
  return text
    .replace(/[`"\\$]/g, '')
    .replaceAll("'", '’')
    .replace(/\s+/g, ' ');
}

/** The command and everything below it. */
export function allCommands(command: CompletedCommand): CompletedCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
