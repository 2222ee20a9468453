import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { homeDirectory } from '@memrelay/sdk/data-dir-node';
import type { Host, Machine, ServerEntry } from 'memrelay-mcp/hosts/host';
import { hosts } from 'memrelay-mcp/hosts/known-hosts';
import { foundHosts } from '../hosts/found-hosts.ts';
import { readConfig, snippet, withEntry, withoutEntry, writeConfig } from '../hosts/host-config.ts';
import {
  buildServer,
  localServer,
  type ServerFlags,
  serverFlags,
  withVariables,
} from '../hosts/local-server.ts';
import { holdsKey, remoteServer, signInServer, withoutKey } from '../hosts/remote-server.ts';
import { confirm } from '../owner/confirm.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { columns } from '../terminal/plain-text.ts';

export interface HostOptions {
  /** Another configuration file than the user's, such as that of a project */
  config?: string;
  yes?: boolean;
}

export interface InstallOptions extends HostOptions, ServerFlags {
  remote?: boolean;
  credentials?: string;
  print?: boolean;
}

/**
 * `memrelay mcp install`: adds the tools to the configuration of one host, or of all hosts found (`all`). Asks which
 * one if none is named.
 */
export async function install(
  output: Output,
  name: string | undefined,
  options: InstallOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const chosen = name ?? (await chooseHost(output, environment));
  if (chosen !== 'all') return installInto(output, hostNamed(chosen), options, environment);
  if (options.config !== undefined)
    throw new ExitError(
      exitCodes.usage,
      '--config names the file of one host: name that host instead of "all".',
    );
  const found = foundHosts(machineOf(environment));
  if (found.length === 0)
    throw new ExitError(
      exitCodes.failed,
      'No host was found on this machine. Name the one to install into.',
      {
        code: 'no_host',
      },
    );
  const failed: string[] = [];
  for (const host of found) {
    output.line(output.paint('bold', host.title));
    try {
      await installInto(output, host, options, environment);
    } catch (error) {
      if (!(error instanceof ExitError)) throw error;
      failed.push(host.name);
      output.result({ host: host.name, error: error.code, message: error.message });
      output.line(error.message);
    }
    output.line('');
  }
  if (failed.length > 0)
    throw new ExitError(exitCodes.failed, `Not written for ${failed.join(', ')}: see above.`);
}

/** Asks which host to install into. Throws `ExitError` if there is no terminal. */
async function chooseHost(output: Output, environment: NodeJS.ProcessEnv): Promise<string> {
  const found = foundHosts(machineOf(environment));
  if (!output.live || !process.stdin.isTTY)
    throw new ExitError(
      exitCodes.usage,
      `Name a host: ${hosts.map((host) => host.name).join(', ')}, or all for those found here (${found.map((host) => host.name).join(', ') || 'none'}).`,
    );
  const listed = [...found, ...hosts.filter((host) => !found.includes(host))];
  const rows = listed.map((host, i) => [
    `${i + 1})`,
    host.title,
    found.includes(host) ? output.paint('green', 'found') : '',
  ]);
  output.line('Which host? Those marked are on this machine.\n');
  for (const line of columns(rows)) output.line(`  ${line}`);
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const text = (await prompt.question(`\nNumber, name${found.length > 0 ? ', or all' : ''}: `)).trim();
    return listed[Number(text) - 1]?.name ?? text;
  } finally {
    prompt.close();
  }
}

async function installInto(
  output: Output,
  host: Host,
  options: InstallOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const path = configPath(host, options, environment);
  const server = await serverOf(host, options, environment);
  const entry = host.entry(server);
  const shown = host.entry(withoutKey(server));
  if (entry === undefined || shown === undefined)
    throw new ExitError(
      exitCodes.usage,
      `The configuration of ${host.title} knows only servers that it starts itself. Install without --remote, or add ${(server as { url?: string }).url} in its settings under Connectors.`,
    );
  const text = snippet(host, shown);
  if (options.print) {
    output.line(text);
    output.result({ host: host.name, path, config: text });
    return;
  }
  const before = await readConfig(path);
  const changed = edit(path, () => withEntry(host, before, entry)) !== before;
  const summary = { host: host.name, path, changed, remote: server.kind === 'remote' };
  if (!changed) {
    if (server.kind === 'local') await buildServer();
    output.line(`${host.title} has memrelay already, as it should be: ${path}`);
    output.result(summary);
    return;
  }
  await confirm(
    output,
    `memrelay for ${host.title}, in ${path}:\n\n${text}`,
    facts(host, server),
    options.yes,
    {
      question: 'Write this?',
      declined: 'Nothing was written',
    },
  );
  if (server.kind === 'local') {
    output.step('Preparing the tools');
    await buildServer();
    output.done();
  }
  const backup = await change(path, (now) => withEntry(host, now, entry), holdsKey(server));
  const hadKey = /Bearer [0-9a-f]{64}/i.test(before)
    ? ' It contains the earlier private key: delete it.'
    : '';
  output.line(backup ? `Written. The previous file is in ${backup}.${hadKey}` : 'Written.');
  output.line(host.afterwards);
  if (server.kind === 'local')
    output.line('Then ask your agent to remember something; it will show you where to sign in.');
  else if (!holdsKey(server))
    output.line('It opens your browser to sign in, when it first connects or when you ask it to.');
  output.result({ ...summary, backup });
}

/** `memrelay mcp uninstall`: removes the tools from the configuration. */
export async function uninstall(
  output: Output,
  name: string,
  options: HostOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const host = hostNamed(name);
  const path = configPath(host, options, environment);
  const before = await readConfig(path);
  const changed = edit(path, () => withoutEntry(host, before)) !== before;
  if (!changed) {
    output.line(`${host.title} has no memrelay in ${path}.`);
    output.result({ host: host.name, path, changed });
    return;
  }
  await confirm(output, `Take memrelay out of ${path}`, [['host', host.title]], options.yes, {
    question: 'Do it?',
    declined: 'Nothing was written',
  });
  const backup = await change(path, (now) => withoutEntry(host, now), false);
  output.line(`Removed. The previous file is in ${backup}; delete it if the entry contained a private key.`);
  output.line('The credentials stay: mem_logout, or npx memrelay-mcp --logout, removes them.');
  output.result({ host: host.name, path, changed, backup });
}

function hostNamed(name: string): Host {
  const host = hosts.find((known) => known.name === name);
  if (host) return host;
  throw new ExitError(
    exitCodes.usage,
    `There is no host "${name}" here. Hosts: ${hosts.map((known) => known.name).join(', ')}.`,
  );
}

function configPath(host: Host, options: HostOptions, env: NodeJS.ProcessEnv): string {
  if (options.config !== undefined) return resolve(options.config);
  return host.configPath(machineOf(env));
}

function machineOf(env: NodeJS.ProcessEnv): Machine {
  return { home: homeDirectory(), platform: process.platform, env };
}

async function serverOf(
  host: Host,
  options: InstallOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ServerEntry> {
  if (!options.remote) {
    if (options.credentials === undefined)
      // Each host appears in the dashboard under its own name
      return localServer({ label: host.title, ...withVariables(options, environment) });
    throw new ExitError(
      exitCodes.usage,
      '--credentials goes with --remote: the process of a host uses what was signed in with.',
    );
  }
  const { namespace, credentials, relayer, ...rest } = options;
  // Credentials name their relayer
  const others = credentials === undefined || relayer === undefined ? rest : { ...rest, relayer };
  const flags = serverFlags({ ...others, ...(namespace === undefined ? {} : { namespace }) });
  const unused = flags.filter((flag) => !flag.startsWith('--namespace='));
  if (unused.length > 0)
    throw new ExitError(
      exitCodes.usage,
      `${unused.join(', ')} does not go with --remote: the relayer of the credentials serves the tools there.`,
    );
  if (relayer !== undefined) return signInServer(relayer, namespace);
  return remoteServer({
    ...(credentials === undefined ? {} : { credentials }),
    ...(namespace === undefined ? {} : { namespace }),
  });
}

function facts(host: Host, server: ServerEntry): [string, string][] {
  const documented: [string, string] = ['as in', host.docs];
  if (!holdsKey(server)) return [documented];
  return [
    documented,
    [
      'careful',
      'the file then holds your private key, and the relayer gets it with each call; never share or commit it',
    ],
  ];
}

/** Reads the file again before writing, because it may change while the person reads the question. */
async function change(
  path: string,
  make: (text: string) => string,
  secret: boolean,
): Promise<string | undefined> {
  const now = await readConfig(path);
  return writeConfig(
    path,
    edit(path, () => make(now)),
    { secret },
  );
}

function edit(path: string, make: () => string): string {
  try {
    return make();
  } catch (error) {
    throw new ExitError(
      exitCodes.failed,
      `${path} was left as it is: ${(error as Error).message}. --print shows what to add by hand.`,
      { cause: error },
    );
  }
}
