import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions, withOptions } from './shared-options.ts';

const several = (value: string, before: string[] = []): string[] => [...before, value];

export function registerWebhook(line: CommandLine): void {
  const load = () => import('../commands/webhook.ts');
  const shared = () => [sharedOptions.json(), sharedOptions.credentials(), sharedOptions.server()];
  const webhook = line.group(
    'webhook',
    'sends signed requests to your server when memories are stored, fail, are forgotten or expire',
  );
  withOptions(
    webhook
      .command('add')
      .description('register a URL; prints the secret that verifies deliveries, once')
      .argument('<url>', 'where deliveries are sent'),
    ...shared(),
  )
    .option('--event <event>', 'only this event, such as memory.failed; may be repeated', several)
    .option('--namespace <name>', 'only this namespace; may be repeated (default: all)', several)
    .action((url, options) =>
      runCommand(options, async (output) => (await load()).addHook(output, url, options)),
    );
  withOptions(
    webhook.command('list', { isDefault: true }).description('the registered webhooks and their state'),
    ...shared(),
  ).action((options) => runCommand(options, async (output) => (await load()).listHooks(output, options)));
  withOptions(
    webhook.command('remove').description('end the deliveries to a webhook').argument('<id>', 'its id'),
    ...shared(),
  ).action((id, options) =>
    runCommand(options, async (output) => (await load()).removeHook(output, id, options)),
  );
  withOptions(
    webhook
      .command('test')
      .description('send a test event now; if it arrives, a disabled webhook is enabled again')
      .argument('<id>', 'its id'),
    ...shared(),
  ).action((id, options) =>
    runCommand(options, async (output) => (await load()).testHook(output, id, options)),
  );
  withOptions(
    webhook
      .command('deliveries')
      .description('the latest events of a webhook, and what became of them')
      .argument('<id>', 'its id'),
    ...shared(),
  )
    .option('--limit <n>', 'at most this many (default: 50)')
    .action((id, options) =>
      runCommand(options, async (output) => (await load()).listHookDeliveries(output, id, options)),
    );
}
