import { allCommands, type CompletedCommand, type Values } from './command-tree.ts';

/** Completion for fish 3 and later. */
export function fishScript(tree: CompletedCommand): string {
  return `# fish completion for memrelay. Load it with: memrelay completion fish | source
function __memrelay_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l path
  for word in $words
    if contains -- (string join ' ' $path $word) ${allCommands(tree)
      .filter(({ path }) => path !== '')
      .map(({ path }) => `'${path}'`)
      .join(' ')}
      set -a path $word
    end
  end
  set -l joined (string join ' ' $path)
  test "$joined" = "$argv"
end
complete -c memrelay -f
${allCommands(tree).flatMap(commandLines).join('\n')}
`;
}

function commandLines({ path, options, commands, values }: CompletedCommand): string[] {
  const at = `complete -c memrelay -n '__memrelay_at ${path}'`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${name} -d '${description}'`),
    ...options.map(({ names, description, values: value }) => {
      const flags = names.map((name) =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      return `${at} ${flags.join(' ')} -d '${description}'${value === undefined ? '' : ` -r ${valueFlags(value)}`}`;
    }),
    ...(values.kind === 'any' ? [] : [`${at} ${valueFlags(values)}`]),
  ];
}

function valueFlags(values: Values): string {
  if (values.kind === 'words') return `-f -a '${values.words.join(' ')}'`;
  return values.kind === 'files' ? '-F' : '-f';
}
