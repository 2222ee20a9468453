import { Argument, type Command } from 'commander';
import { hosts } from 'memrelay-mcp/hosts/known-hosts';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerMcp(line: CommandLine): void {
  const load = () => import('../commands/mcp.ts');
  const group = line.group('mcp', "put the memory tools into an agent's host");
  const hostCommand = (name: string, about: string, argument: Argument): Command =>
    group
      .command(name)
      .description(about)
      .addArgument(argument)
      .option('--config <path>', "another file than the user's, such as a project's")
      .addOption(sharedOptions.json())
      .addOption(sharedOptions.yes());
  const names = hosts.map((host) => host.name);
  hostCommand(
    'install',
    "add the tools to a host's configuration",
    new Argument('[host]', 'which one; asked for if left out, all: those found here').choices([
      ...names,
      'all',
    ]),
  )
    .option('--print', 'only show what would be written')
    .option(
      '--remote',
      'over HTTP instead of a separate process: with --relayer the host signs in in a browser, else the file holds the private key',
    )
    .addOption(sharedOptions.credentials('with --remote: credential file'))
    .option('--namespace <name>', 'namespace of tool calls that name none')
    .option('--local', 'the local system')
    .option('--prod', 'the production service of this build')
    .option('--staging', 'the staging service of this build')
    .option('--relayer <url>', 'relayer, instead of the one signed in at')
    .option('--web-url <url>', 'dashboard to sign in at')
    .option('--data-dir <path>', 'data directory of the local system (default: MEM_DATA_DIR, if it is set)')
    .option('--label <text>', 'name of this client in the dashboard (default: that of the host)')
    .option('--extra-tools', 'also mem_ask, mem_forget, mem_list and mem_status')
    .action((host, options) =>
      runCommand(options, async (output) => (await load()).install(output, host, options, line.environment)),
    );
  group
    .command('serve')
    .description('serve the tools over stdin and stdout, like memrelay-mcp with the same flags')
    .argument('[flags...]', 'as of memrelay-mcp')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (flags) => (await import('../commands/mcp-serve.ts')).serve(flags));
  hostCommand(
    'uninstall',
    "remove the tools from a host's configuration",
    new Argument('<host>', 'which one').choices(names),
  ).action((host, options) =>
    runCommand(options, async (output) => (await load()).uninstall(output, host, options, line.environment)),
  );
}
