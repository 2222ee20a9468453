/**
 * Signatures of webhook deliveries, as in the Standard Webhooks specification 1.0 (standardwebhooks.com): the headers
 * `webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature` (`v1,` and an HMAC-SHA256 in base64; several
 * are separated by spaces).
 */
export const webhookHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

export const webhookSecretPrefix = 'whsec_';

/** Seconds that the time of a delivery may differ from the clock of its receiver */
export const webhookToleranceSeconds = 300;

/** What is signed before the body: `id.timestamp.body` */
export function signedPrefix(id: string, timestamp: string): string {
  return `${id}.${timestamp}.`;
}
