import type { Command } from 'commander';
import { runCommand } from '../run-command.ts';
import { hosts } from './known-hosts.ts';

/** `memrelay mcp …` and `memrelay trust`: the tools in agents' hosts, and where they may go. */
export function addHostCommands(program: Command, environment: NodeJS.ProcessEnv): void {
  const load = () => import('../commands/mcp.ts');
  const group = program
    .command('mcp')
    .description("put the memory tools into an agent's host")
    .showHelpAfterError('Run it with --help to see how it is called.');
  const hostCommand = (name: string, about: string): Command =>
    group
      .command(name)
      .description(about)
      .argument('<host>', hosts.map((host) => host.name).join(', '))
      .option('--config <path>', "another file than the user's, such as a project's")
      .option('--json', 'one JSON value a line, for programs')
      .option('--yes', 'do not ask');
  hostCommand('install', 'write the tools into the configuration of a host')
    .option('--print', 'only show what would be written')
    .option(
      '--remote',
      'over HTTP instead of a process of its own: with --relayer the host signs in in a browser, else the file holds the private key',
    )
    .option('--credentials <path>', 'with --remote: credential file')
    .option('--namespace <name>', 'namespace of tool calls that name none')
    .option('--local', 'the local system')
    .option('--prod', 'the production service of this build')
    .option('--staging', 'the staging service of this build')
    .option('--relayer <url>', 'relayer, instead of the one signed in at')
    .option('--web-url <url>', 'dashboard to sign in at')
    .option('--label <text>', 'name of this client in the dashboard')
    .option('--extra-tools', 'also mem_ask, mem_forget, mem_list and mem_status')
    .action((host, options) =>
      runCommand(options, async (output) => (await load()).install(output, host, options, environment)),
    );
  hostCommand('uninstall', 'take the tools out of the configuration of a host').action((host, options) =>
    runCommand(options, async (output) => (await load()).uninstall(output, host, options, environment)),
  );
  program
    .command('trust')
    .description('let tools call a relayer with credentials that were made at another one')
    .argument('[url]', 'the relayer')
    .option('--list', 'show the approved ones')
    .option('--remove <url>', 'take an approval back')
    .option('--json', 'one JSON value a line, for programs')
    .action((url, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/trust.ts')).trust(output, url, options),
      ),
    );
}
