/** The package was called wrongly: exit code 2, with this message on stderr. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const valueFlags = ['relayer', 'web-url', 'label', 'namespace', 'code'] as const;
const switches = [
  'login',
  'logout',
  'help',
  'prod',
  'staging',
  'local',
  'extra-tools',
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

/**
 * Splits a command line into `--flag value`, `--flag=value` and switches; of a flag given twice the last counts.
 * Throws `UsageError` for everything it does not know.
 */
export function readFlags(argv: readonly string[]): Flags {
  const values = new Map<FlagName, string>();
  const set = new Set<string>();
  let subcommand: Flags['subcommand'];
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '-h') {
      set.add('help');
    } else if (argument.startsWith('--')) {
      readFlag(argument, rest, values, set);
    } else if (subcommand === undefined && isOneOf(subcommands, argument)) {
      subcommand = argument;
    } else {
      throw new UsageError(`"${argument}" is neither a flag nor a command.`);
    }
  }
  return { values, set, subcommand };
}

function readFlag(argument: string, rest: string[], values: Map<FlagName, string>, set: Set<string>): void {
  // Only the first "=" separates: a value may have more of them.
  const [, given = '', inline] = /^--([^=]*)(?:=(.*))?$/s.exec(argument)!;
  const name = aliases[given] ?? given;
  if (isOneOf(switches, name)) {
    if (inline !== undefined) throw new UsageError(`--${given} takes no value.`);
    set.add(name);
  } else if (isOneOf(valueFlags, name)) {
    const value = inline ?? (rest[0]?.startsWith('--') ? undefined : rest.shift());
    if (value === undefined || value === '') throw new UsageError(`--${given} needs a value.`);
    values.set(name, value);
  } else {
    throw new UsageError(`There is no flag --${given}.`);
  }
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}

/** What `--help` prints. */
export const usage = `memrelay-mcp: encrypted memory for AI agents, over stdio (MCP)

An agent's host starts it; put it into the host's configuration with: npx memrelay mcp install HOST

Usage: memrelay-mcp [login | logout] [flags]

  --relayer URL       relayer for this process, instead of the one signed in at    MEM_SERVER_URL
  --web-url URL       dashboard where you sign in                                  MEM_WEB_URL
  --label TEXT        name of this client in the dashboard                         MEM_CLIENT_LABEL
  --namespace NAME    namespace of tool calls that name none (also --ns)           MEM_NAMESPACE
  --prod, --staging, --local
                      relayer and dashboard of a known service
  --extra-tools       also offer mem_ask, mem_forget, mem_list and mem_status
  --login, login      sign in, also when you are signed in already
  --code CODE         with login: bring the code of the sign-in page to the agent that waits here
  --from-memwal       with login: take over the key in ~/.memwal/credentials.json, which stays as it is
  --logout, logout    remove the credentials from this machine and exit
  --help, -h          print this and exit

A flag wins over its variable. MEM_MCP_DEBUG=1 says more on stderr.
Exit codes: 0 it worked, 1 it did not, 2 called wrongly.
`;
