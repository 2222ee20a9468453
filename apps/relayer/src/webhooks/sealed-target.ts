import { randomBytes } from 'node:crypto';
import { indexKey } from '@memrelay/envelope/at-rest';
import { webhookSecretPrefix } from '@memrelay/protocol/webhook-signature';
import { openBytes, sealBytes } from '../base/sealed-bytes.ts';

/** Where a webhook sends and how it signs. Both may be secrets: URLs often contain a token. */
export interface WebhookTarget {
  url: string;
  /** `whsec_` and 32 bytes in base64 */
  secret: string;
}

/** Names the row that a sealed target belongs to. */
export interface WebhookRow {
  accountId: Buffer;
  id: string;
}

export function newSecret(): string {
  return webhookSecretPrefix + randomBytes(32).toString('base64');
}

/** Seals and opens targets under a key per account that derives from MEM_INDEX_KEY. */
export function createTargetSeal(secret: Uint8Array) {
  const keyOf = ({ accountId }: WebhookRow) => indexKey(secret, 'webhook', accountId.toString('hex'));
  return {
    seal: (row: WebhookRow, target: WebhookTarget): Buffer =>
      sealBytes(keyOf(row), Buffer.from(row.id), Buffer.from(JSON.stringify(target))),
    /** Undefined if the row was sealed with another key, or was changed */
    open(row: WebhookRow, sealed: Buffer): WebhookTarget | undefined {
      const opened = openBytes(keyOf(row), Buffer.from(row.id), sealed);
      return opened && (JSON.parse(opened.toString('utf8')) as WebhookTarget);
    },
  };
}

export type TargetSeal = ReturnType<typeof createTargetSeal>;
