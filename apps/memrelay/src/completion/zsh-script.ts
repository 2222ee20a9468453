import { allCommands, type CompletedCommand, type CompletedOption, type Values } from './command-tree.ts';

/** Completion for zsh: a function for each command, whose options are described. */
export function zshScript(tree: CompletedCommand): string {
  return `#compdef memrelay
# zsh completion for memrelay. Load it with: eval "$(memrelay completion zsh)"
${allCommands(tree).map(commandFunction).join('\n')}
if [[ "$funcstack[1]" == _memrelay ]]; then _memrelay "$@"; else compdef _memrelay memrelay; fi
`;
}

function commandFunction(command: CompletedCommand): string {
  const options = command.options.map((option) => `    ${optionSpec(option)} \\`).join('\n');
  if (command.commands.length === 0)
    return `${functionName(command)}() {
  _arguments -s \\
${options}
    '${command.variadic ? '*' : '1'}: :${valueAction(command.values)}'
}`;
  const names = command.commands.map(({ name, description }) => `'${name}:${colons(description)}'`);
  const calls = command.commands.map((each) => `        ${each.name}) ${functionName(each)} ;;`);
  return `${functionName(command)}() {
  local line state
  local -a names=(${names.join(' ')})
  _arguments -C -s \\
${options}
    '1: :->command' '*:: :->rest'
  case "$state" in
    command) _describe command names ;;
    rest)
      case "$line[1]" in
${calls.join('\n')}
      esac ;;
  esac
}`;
}

function functionName({ path }: CompletedCommand): string {
  return `_memrelay${path === '' ? '' : `_${path.replaceAll(/[ -]/g, '_')}`}`;
}

function optionSpec({ names, description, values }: CompletedOption): string {
  const text = `[${description.replace(/[[\]]/g, '')}]`;
  const value = values === undefined ? '' : `: :${valueAction(values)}`;
  if (names.length === 1) return `'${names[0]}${colons(text)}${value}'`;
  return `'(${names.join(' ')})'{${names.join(',')}}'${colons(text)}${value}'`;
}

function valueAction(values: Values): string {
  if (values.kind === 'words') return `(${values.words.join(' ')})`;
  return values.kind === 'files' ? '_files' : ' ';
}

const colons = (text: string): string => text.replaceAll(':', '\\:');
