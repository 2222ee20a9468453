import { limits } from '@memrelay/protocol/limits';
import {
  addWebhook,
  listWebhooks,
  removeWebhook,
  testWebhook,
  type Webhook,
  type WebhookEvent,
  webhookDeliveries,
} from '@memrelay/sdk/webhooks';
import { type ConnectOptions, withClient } from '../client/connect.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { parseLimit } from '../terminal/limit-option.ts';
import type { Output } from '../terminal/output.ts';
import { columns, counted, plainText } from '../terminal/plain-text.ts';
import { moment } from './list.ts';

/** `memrelay webhook add`. The secret is printed only here. */
export async function addHook(
  output: Output,
  url: string,
  options: ConnectOptions & { event?: string[]; namespace?: string[] },
): Promise<void> {
  const { event, namespace } = options;
  const { webhook, secret } = await withClient(options, ({ client }) =>
    addWebhook(client, { url, events: event as WebhookEvent[] | undefined, namespaces: namespace }),
  );
  output.result({ webhook: wire(webhook), secret });
  output.line(`${webhook.id}  ${plainText(webhook.url)}`);
  output.line(`Secret: ${secret}`);
  output.line(
    `Keep the secret: it is not shown again. Check the receiver with \`memrelay webhook test ${webhook.id}\`.`,
  );
}

export async function listHooks(output: Output, options: ConnectOptions): Promise<void> {
  const webhooks = await withClient(options, ({ client }) => listWebhooks(client));
  output.result({ webhooks: webhooks.map(wire) });
  const rows = webhooks.map((webhook) => [
    webhook.id,
    stateOf(webhook),
    plainText(webhook.events.map((event) => event.replace('memory.', '')).join(',')),
    plainText(webhook.namespaces?.join(',') ?? 'all namespaces'),
    plainText(webhook.url),
  ]);
  for (const line of columns(rows)) output.line(line);
  if (webhooks.length === 0) output.line('No webhooks. `memrelay webhook add https://…` registers one.');
}

export async function removeHook(output: Output, id: string, options: ConnectOptions): Promise<void> {
  await withClient(options, ({ client }) => removeWebhook(client, id));
  output.result({ deleted: id });
  output.line(`Removed ${plainText(id)}.`);
}

/** Throws `ExitError` if the receiver did not accept the event. */
export async function testHook(output: Output, id: string, options: ConnectOptions): Promise<void> {
  const { delivered, status, error, durationMs } = await withClient(options, ({ client }) =>
    testWebhook(client, id),
  );
  if (!delivered)
    throw new ExitError(
      exitCodes.failed,
      `The test event was not delivered: ${error} after ${durationMs} ms. docs/webhooks.md explains the codes.`,
      { code: 'not_delivered' },
    );
  output.result({ delivered, status, duration_ms: durationMs });
  output.line(`Delivered in ${durationMs} ms (status ${status}).`);
}

export async function listHookDeliveries(
  output: Output,
  id: string,
  options: ConnectOptions & { limit?: string },
): Promise<void> {
  const limit = parseLimit(options.limit, limits.deliveriesLimit);
  const deliveries = await withClient(options, ({ client }) => webhookDeliveries(client, id, { limit }));
  output.result({ deliveries: deliveries.map(wire) });
  const rows = deliveries.map((delivery) => [
    moment(delivery.createdAt),
    plainText(delivery.type),
    counted(delivery.memoryIds.length, 'memory', 'memories'),
    plainText(delivery.namespace),
    delivery.status,
    counted(delivery.attempts, 'attempt', 'attempts'),
    delivery.lastError === undefined ? '' : plainText(delivery.lastError),
  ]);
  for (const line of columns(rows)) output.line(line);
  if (deliveries.length === 0) output.line('Nothing in the last 7 days.');
}

function stateOf({ status, failingSince, lastError, disabledReason }: Webhook): string {
  if (status === 'disabled') return `disabled (${plainText(disabledReason ?? '')})`;
  if (status === 'failing')
    return `failing since ${moment(failingSince ?? '')} (${plainText(lastError ?? '')})`;
  return status;
}

/** The names of the wire, as in all JSON output. */
function wire(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      each,
    ]),
  );
}
