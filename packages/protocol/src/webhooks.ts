import { z } from 'zod';
import { namespaceField } from './fields.ts';
import { limits } from './limits.ts';

/** Webhooks of an account (docs/webhooks.md). Their deliveries are signed as in webhook-signature.ts. */

export const webhookEvents = [
  'memory.stored',
  'memory.failed',
  'memory.forgotten',
  'memory.expiring',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Sent by `POST /api/webhooks/:id/test` only */
export const webhookTestEvent = 'webhook.test';

/** `POST /api/webhooks` */
export const createWebhookRequest = z.object({
  /** https, or also http on a local network; without user name and fragment */
  url: z.string().min(1).max(limits.webhookUrlCharacters),
  /** Default: all */
  events: z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length).optional(),
  /** Default: all namespaces, which requires READ in all of them */
  namespaces: z.array(namespaceField).min(1).max(limits.webhookNamespaces).optional(),
});
export type CreateWebhookRequest = z.infer<typeof createWebhookRequest>;

export interface Webhook {
  id: string;
  url: string;
  events: WebhookEvent[];
  /** Absent: all */
  namespaces?: string[];
  /** The delegate key that registered it, 64 hex digits. It receives events of namespaces that this key may read */
  public_key: string;
  created_at: string;
  /** `failing`: the last attempt failed, and the next one follows. A disabled webhook receives nothing */
  status: 'active' | 'failing' | 'disabled';
  /** First failed attempt since the last successful one */
  failing_since?: string;
  /** Code of the last failed attempt: a `DeliveryError` */
  last_error?: string;
  disabled_at?: string;
  /** Why: the code of the last failed attempt, or `key_not_allowed` */
  disabled_reason?: string;
}

export interface CreateWebhookResponse {
  webhook: Webhook;
  /** `whsec_` and 32 bytes in base64: verifies deliveries. It is returned only here */
  secret: string;
}

export interface WebhooksResponse {
  /** Oldest first: those that the caller's key registered; all, if the key has every permission in all namespaces */
  webhooks: Webhook[];
}

export interface DeleteWebhookResponse {
  deleted: string;
}

export interface TestWebhookResponse {
  delivered: boolean;
  /** HTTP status of the response, if there was one */
  status?: number;
  /** Why it was not delivered: a `DeliveryError` */
  error?: string;
  duration_ms: number;
}

/** Query of `GET /api/webhooks/:id/deliveries` */
export const deliveriesQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, 'must be a whole number, 1 or more')
    .optional(),
});

export interface WebhookDelivery {
  /** `webhook-id` of the request: the same in every attempt */
  id: string;
  type: string;
  namespace: string;
  memory_ids: string[];
  reason?: string;
  created_at: string;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  /** While it waits */
  next_attempt_at?: string;
  last_error?: string;
  ended_at?: string;
}

export interface WebhookDeliveriesResponse {
  /** Newest first */
  deliveries: WebhookDelivery[];
}

/**
 * Why an attempt failed. `status_404`: the HTTP status of the response. `key_not_allowed`: the key that registered the
 * webhook was removed, has expired or lost READ. `not_in_scope`: it may not read this namespace any more.
 */
export type DeliveryError =
  | 'timeout'
  | 'unreachable'
  | 'private_address'
  | 'redirected'
  | 'account_unavailable'
  | 'key_not_allowed'
  | 'not_in_scope'
  | 'webhook_disabled'
  | `status_${number}`;

/** The JSON body of a delivery. Contains no text. */
export interface WebhookPayload {
  /** The same in every attempt, as `webhook-id` */
  id: string;
  type: WebhookEvent | typeof webhookTestEvent;
  /** When it happened (RFC 3339, UTC, ms) */
  timestamp: string;
  data: {
    account_id: string;
    /** Absent in a test */
    namespace?: string;
    /** As `remember` returned them. Absent in a test */
    memory_ids?: string[];
    /**
     * `memory.failed`: the `error_code` of the job. `memory.forgotten`: `request` or `expiry`. `memory.expiring`:
     * `expires_at`, or `storage` if the storage of the blob ends
     */
    reason?: string;
  };
}
