import { allCommands, type CompletedCommand, type Values } from './command-tree.ts';

/** Completion for bash 3.2 and later, without the bash-completion package. */
export function bashScript(tree: CompletedCommand): string {
  const commands = allCommands(tree);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# bash completion for memrelay. Load it with: eval "$(memrelay completion bash)"
_memrelay() {
  local word path='' next options='' words='' files='' i
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    next="\${path:+$path }$word"
    case "$next" in
      ${paths.join('|')}) path="$next" ;;
    esac
  done
  case "$path $previous" in
${commands.flatMap(optionCases).join('\n')}
  esac
  case "$path" in
${commands.map(commandCase).join('\n')}
  esac
  if [[ "$current" == -* ]]; then words="$options"; files=''; fi
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n "$files" ]]; then
    compopt -o filenames 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -F _memrelay memrelay
`;
}

/** An option that takes a value completes that value. */
function optionCases({ path, options }: CompletedCommand): string[] {
  return options.flatMap(({ names, values }) =>
    values === undefined
      ? []
      : [`    ${names.map((name) => `'${path} ${name}'`).join('|')}) ${valueReply(values)} ;;`],
  );
}

function valueReply(values: Values): string {
  if (values.kind === 'words')
    return `COMPREPLY=($(compgen -W '${values.words.join(' ')}' -- "$current")); return`;
  if (values.kind === 'files')
    return `compopt -o filenames 2>/dev/null; local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current")); return`;
  return 'return';
}

function commandCase({ path, options, commands, values }: CompletedCommand): string {
  const words = [...commands.map(({ name }) => name), ...(values.kind === 'words' ? values.words : [])];
  const files = values.kind === 'files' ? " files='1'" : '';
  const flags = options.map(({ names }) => names[0]).join(' ');
  return `    '${path}') options='${flags}'; words='${words.join(' ')}';${files} ;;`;
}
