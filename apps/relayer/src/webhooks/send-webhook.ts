import { createHmac } from 'node:crypto';
import { createGuardedFetch, PrivateAddressError } from '@memrelay/process/guarded-fetch';
import { relayerVersion } from '@memrelay/protocol/versions';
import { signedPrefix, webhookHeaders, webhookSecretPrefix } from '@memrelay/protocol/webhook-signature';
import type { DeliveryError } from '@memrelay/protocol/webhooks';
import { retryAfterMs } from '../jobs/alerts/post-webhook.ts';
import type { WebhookTarget } from './sealed-target.ts';

/** The result of one request. Errors are codes: no part of the receiver's response is kept. */
export type Sent =
  | { delivered: true; status: number }
  | { delivered: false; error: DeliveryError; status?: number; afterMs?: number };

export interface SendOptions {
  /** Receivers on this machine or in a private network are allowed: on a local network only */
  allowPrivate: boolean;
  timeoutMs: number;
  /** Ends the request early: rejects with its reason */
  signal?: AbortSignal;
}

/** Responses are not read, so this only stops a receiver that sends more at once. Redirects are not followed. */
const guardedFetch = createGuardedFetch({ maxResponseSize: 1024 * 1024, redirect: 'manual' });

/** Sends one signed request. Rejects only with the reason of `signal`. */
export async function sendWebhook(
  { url, secret }: WebhookTarget,
  payload: { id: string },
  { allowPrivate, timeoutMs, signal }: SendOptions,
): Promise<Sent> {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const ended = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    const init = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `memrelay-webhooks/${relayerVersion}`,
        [webhookHeaders.id]: payload.id,
        [webhookHeaders.timestamp]: timestamp,
        [webhookHeaders.signature]: signatureOf(secret, signedPrefix(payload.id, timestamp) + body),
      },
      body,
      signal: signal ? AbortSignal.any([ended, signal]) : ended,
    };
    response = await guardedFetch(url, init, { allowPrivate });
  } catch (error) {
    signal?.throwIfAborted();
    return { delivered: false, error: ended.aborted ? 'timeout' : codeOf(error) };
  }
  await response.body?.cancel().catch(() => undefined);
  const { status, ok } = response;
  if (ok) return { delivered: true, status };
  if (status >= 300 && status < 400) return { delivered: false, error: 'redirected', status };
  const afterMs = retryAfterMs(response.headers.get('retry-after'));
  return {
    delivered: false,
    error: `status_${status}`,
    status,
    ...(afterMs === undefined ? {} : { afterMs }),
  };
}

/** Standard Webhooks: HMAC-SHA256 under the bytes that the secret encodes. */
function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(webhookSecretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

function codeOf(error: unknown): DeliveryError {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof PrivateAddressError) return 'private_address';
  return 'unreachable';
}
