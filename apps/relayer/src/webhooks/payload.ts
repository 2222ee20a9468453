import { randomUUID } from 'node:crypto';
import { type WebhookPayload, webhookTestEvent } from '@memrelay/protocol/webhooks';
import { bytesToAddress } from '../base/db/hex.ts';
import type { ClaimedDelivery } from './rows/delivery-rows.ts';

export function payloadOf(delivery: ClaimedDelivery): WebhookPayload {
  const { id, type, created_at, account_id, namespace, memory_ids, reason } = delivery;
  return {
    id,
    type: type as WebhookPayload['type'],
    timestamp: created_at.toISOString(),
    data: {
      account_id: bytesToAddress(account_id),
      namespace,
      memory_ids,
      ...(reason === null ? {} : { reason }),
    },
  };
}

export function testPayload(accountId: string): WebhookPayload {
  return {
    id: randomUUID(),
    type: webhookTestEvent,
    timestamp: new Date().toISOString(),
    data: { account_id: accountId },
  };
}
