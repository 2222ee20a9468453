import type { Command } from 'commander';
import { bashScript } from './bash-script.ts';
import { commandTree } from './command-tree.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export type Shell = keyof typeof scripts;

/** A script that makes a shell complete the commands and options of `program`. */
export function completionScript(shell: Shell, program: Command): string {
  return scripts[shell](commandTree(program));
}
