import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The command line is invalid: exit code 2, with this message on stderr. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const valueFlags = ['relayer', 'web-url', 'data-dir', 'label', 'namespace', 'code'] as const;
const switches = [
  'login',
  'logout',
  'help',
  'prod',
  'staging',
  'local',
  'extra-tools',
  'project',
  'from-memwal',
] as const;
const subcommands = ['login', 'logout'] as const;
const aliases: Record<string, FlagName> = { ns: 'namespace', 'relayer-url': 'relayer', web: 'web-url' };

export type FlagName = (typeof valueFlags)[number];

export interface Flags {
  values: ReadonlyMap<FlagName, string>;
  /** Switches that are on */
  set: ReadonlySet<string>;
  subcommand: (typeof subcommands)[number] | undefined;
}

const parseOptions: ParseArgsOptionsConfig = {
  ...Object.fromEntries([...valueFlags, ...Object.keys(aliases)].map((name) => [name, { type: 'string' }])),
  ...Object.fromEntries(switches.map((name) => [name, { type: 'boolean' }])),
  help: { type: 'boolean', short: 'h' },
};

/**
 * Reads `--flag value`, `--flag=value`, switches and the subcommand. If a flag is repeated, its last value counts. Throws
 * `UsageError` for anything unknown.
 */
export function readFlags(argv: readonly string[]): Flags {
  // Not strict, because the errors of strict mode quote the value of a flag, which may be a secret
  const { tokens } = parseArgs({
    args: [...argv],
    options: parseOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<FlagName, string>();
  const set = new Set<string>();
  let subcommand: Flags['subcommand'];
  for (const token of tokens) {
    if (token.kind === 'option') {
      readFlag(token, values, set);
      continue;
    }
    const argument = token.kind === 'positional' ? token.value : '--';
    if (subcommand !== undefined || !isOneOf(subcommands, argument))
      throw new UsageError(`"${argument}" is neither a flag nor a command.`);
    subcommand = argument;
  }
  return { values, set, subcommand };
}

interface OptionToken {
  /** Without the dashes */
  name: string;
  /** As typed, with the dashes */
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function readFlag(token: OptionToken, values: Map<FlagName, string>, set: Set<string>): void {
  const { rawName, value, inlineValue } = token;
  const name = aliases[token.name] ?? token.name;
  if (isOneOf(switches, name)) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    set.add(name);
  } else if (isOneOf(valueFlags, name)) {
    // parseArgs also takes the next flag as a value
    const isFlag = !inlineValue && value?.startsWith('--');
    if (value === undefined || value === '' || isFlag) throw new UsageError(`${rawName} needs a value.`);
    values.set(name, value);
  } else {
    throw new UsageError(`There is no flag ${rawName}.`);
  }
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}

/** What `--help` prints. */
export const usage = `memrelay-mcp: encrypted memory for AI agents, over stdio (MCP)

Your agent's host starts it. To add it to the host's configuration: npx memrelay mcp install HOST

Usage: memrelay-mcp [login | logout] [flags]

  --relayer URL       relayer for this process, instead of the one you signed in to  MEM_SERVER_URL
  --web-url URL       dashboard where you sign in                                    MEM_WEB_URL
  --data-dir PATH     data directory of the local system                             MEM_DATA_DIR
  --label TEXT        name of this client in the dashboard (default: the host's own) MEM_CLIENT_LABEL
  --namespace NAME    default namespace of tool calls (also --ns)                    MEM_NAMESPACE
  --project           default namespace of the project in this folder, unless one is named
  --prod, --staging, --local
                      relayer and dashboard of a known service
  --extra-tools       also offer mem_ask, mem_forget, mem_list and mem_status
  --login, login      sign in, even if you are already signed in
  --code CODE         with login: pass the code from the sign-in page to the agent waiting here
  --from-memwal       with login: use the key in ~/.memwal/credentials.json; the file is not changed
  --logout, logout    remove the credentials from this machine and exit
  --help, -h          print this and exit

A flag overrides its variable. MEM_MCP_DEBUG=1 logs more to stderr.
Exit codes: 0 success, 1 failure, 2 invalid command line.
`;
