import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CreateWebhookRequest } from '@memrelay/protocol/webhooks';
import type { DelegateScope } from '../../src/accounts/account-directory.ts';
import type { Caller } from '../../src/accounts/caller.ts';
import type { Db } from '../../src/base/db/db.ts';
import { hexToBytes } from '../../src/base/db/hex.ts';
import { noMetrics } from '../../src/base/metrics/metrics.ts';
import { createWebhook, listDeliveries, type WebhookParts } from '../../src/webhooks/manage-webhooks.ts';
import { noteWebhookEvent } from '../../src/webhooks/rows/delivery-rows.ts';
import { createTargetSeal } from '../../src/webhooks/sealed-target.ts';
import { type DeliveryTimes, startDeliveries } from '../../src/webhooks/start-deliveries.ts';
import { silent } from './auth-app.ts';
import { testAudit } from './test-audit.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver of webhooks that answers 204 until the test replaces `answer`. */
export async function startReceiver() {
  const received: Received[] = [];
  const receiver = {
    received,
    answer: (response: ServerResponse): void => void response.writeHead(204).end(),
    url: '',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    receiver.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

const all: DelegateScope = { perms: 7, allNamespaces: true, tags: [], minEpoch: 0, expiresAtMs: 0 };

/** The tag of a namespace, hex */
export const tagHex = (namespace: string): string =>
  Buffer.from(namespace.padEnd(16, '.')).subarray(0, 16).toString('hex');

/** An account with delegates that the test adds, changes and removes, and its webhooks. */
export function webhookWorld(db: Db) {
  const account = {
    accountId: `0x${randomBytes(32).toString('hex')}`,
    origin: `0x${randomBytes(32).toString('hex')}`,
    active: true,
    keyEpoch: 0,
    delegates: [] as { publicKey: string; address: string; scope: DelegateScope }[],
  };
  const accountId = hexToBytes(account.accountId);
  const parts: WebhookParts = {
    db,
    audit: testAudit,
    seal: createTargetSeal(randomBytes(32)),
    allowPrivate: true,
    accounts: { account: async () => account as never },
    tagOf: (_, namespace) => Buffer.from(tagHex(namespace), 'hex'),
  };
  return {
    account,
    accountId,
    parts,
    addKey(scope: Partial<DelegateScope> = {}): Caller {
      const publicKey = randomBytes(32).toString('hex');
      const delegate = { publicKey, address: `0x${publicKey}`, scope: { ...all, ...scope } };
      account.delegates.push(delegate);
      return { account, delegate, publicKey, address: delegate.address } as unknown as Caller;
    },
    create: (caller: Caller, url: string, more: Partial<CreateWebhookRequest> = {}) =>
      createWebhook(parts, caller, { url, ...more }),
    deliveries: (caller: Caller, id: string) => listDeliveries(parts, caller, id, 200),
    note: (namespace: string, memoryIds: string[], type = 'memory.stored') =>
      noteWebhookEvent(db, accountId, { type, namespace, memoryIds, reason: 'test' }),
    start: (times: Partial<DeliveryTimes> = {}, more: Partial<WebhookParts> = {}) =>
      startDeliveries({
        ...parts,
        ...more,
        metrics: noMetrics,
        log: silent,
        times: { pollMs: 20, firstRetryMs: 20, ...times },
      }),
  };
}
