import {
  signedPrefix,
  webhookHeaders,
  webhookSecretPrefix,
  webhookToleranceSeconds,
} from '@memrelay/protocol/webhook-signature';
import type {
  CreateWebhookResponse,
  TestWebhookResponse,
  WebhookDelivery as WebhookDeliveryOnWire,
  WebhookEvent,
  Webhook as WebhookOnWire,
  WebhookPayload,
  WebhooksResponse,
} from '@memrelay/protocol/webhooks';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64 } from '@scure/base';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import type { CallOptions } from './wire/types.ts';

/** `@memrelay/sdk/webhooks`: verifies deliveries, in Node, browsers and workers, and manages webhooks (docs/webhooks.md). */
export type { WebhookEvent, WebhookPayload };

export type WebhookErrorCode =
  | 'invalid_secret'
  | 'missing_header'
  | 'timestamp_out_of_tolerance'
  | 'invalid_signature'
  | 'invalid_body';

/** A request that is not an authentic delivery. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** `Headers`, or an object as Node and most frameworks have it; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Seconds that the time of the delivery may differ from this clock; default 300 */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970; default `Date.now()` */
  now?: number | undefined;
}

/**
 * Verifies a delivery and returns its content. `body` is the body exactly as it was received, before any parsing. `secret` is
 * what the webhook was registered with, or several. A delivery may arrive more than once: ignore an `id` that you have
 * handled. Throws `WebhookVerificationError`.
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { toleranceSeconds = webhookToleranceSeconds, now = Date.now() }: VerifyOptions = {},
): WebhookPayload {
  const [id, timestamp, signatures] = [
    webhookHeaders.id,
    webhookHeaders.timestamp,
    webhookHeaders.signature,
  ].map((name) => headerOf(headers, name)) as [string, string, string];
  const differs = Math.abs(now / 1000 - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN));
  if (!(differs <= toleranceSeconds))
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `The delivery was signed more than ${toleranceSeconds} seconds before or after the time of this clock.`,
    );
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concat(new TextEncoder().encode(signedPrefix(id, timestamp)), bytes);
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []));
  const expected = (typeof secret === 'string' ? [secret] : secret).map((each) =>
    base64.encode(hmac(sha256, keyOf(each), signed)),
  );
  if (!expected.some((mac) => given.some((each) => isEqual(mac, each))))
    throw new WebhookVerificationError(
      'invalid_signature',
      'The signature does not match. Check the secret, and that the body is the unparsed one.',
    );
  return payloadOf(bytes, id);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof text !== 'string' || text === '')
    throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
  return text;
}

function keyOf(secret: string): Uint8Array {
  const text = secret.startsWith(webhookSecretPrefix) ? secret.slice(webhookSecretPrefix.length) : secret;
  try {
    const key = base64.decode(text);
    if (key.length >= 24) return key;
  } catch {
    // Not base64
  }
  // Its value must not be in a message
  throw new WebhookVerificationError(
    'invalid_secret',
    `The secret must be ${webhookSecretPrefix} and at least 24 bytes in base64.`,
  );
}

/** In constant time for texts of the same length. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

function payloadOf(body: Uint8Array, id: string): WebhookPayload {
  try {
    const payload: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof payload === 'object' && payload !== null && 'id' in payload && payload.id === id)
      return payload as WebhookPayload;
  } catch {
    // Not JSON
  }
  throw new WebhookVerificationError('invalid_body', 'The body is not that of a delivery with this id.');
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** The part of `MemRelay` that manages webhooks. */
export interface WebhookClient {
  webhookCall<T>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: object | undefined,
    options: CallOptions,
  ): Promise<T>;
}

export interface NewWebhook extends CallOptions {
  /** https, or also http if the relayer serves a local network */
  url: string;
  /** Default: all events */
  events?: readonly WebhookEvent[] | undefined;
  /** Default: all namespaces, which requires READ in all of them */
  namespaces?: readonly string[] | undefined;
}

export type Webhook = CamelKeys<WebhookOnWire>;
export type WebhookDelivery = CamelKeys<WebhookDeliveryOnWire>;
export type WebhookTest = CamelKeys<TestWebhookResponse>;

const path = '/api/webhooks';
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;

/**
 * Registers a webhook. `secret` verifies its deliveries; the relayer returns it only here. It is not retried: after a lost
 * response, remove the webhook that `listWebhooks` shows. Throws `webhooks_not_enabled`, `webhook_limit_reached`.
 */
export async function addWebhook(
  client: WebhookClient,
  { url, events, namespaces, signal }: NewWebhook,
): Promise<{ webhook: Webhook; secret: string }> {
  const body = { url, events, namespaces };
  return camelKeys(await client.webhookCall<CreateWebhookResponse>('POST', path, body, { signal }));
}

/** Those that the client's key registered; all, if the key has every permission in all namespaces. */
export async function listWebhooks(client: WebhookClient, options: CallOptions = {}): Promise<Webhook[]> {
  const { webhooks } = await client.webhookCall<WebhooksResponse>('GET', path, undefined, options);
  return camelKeys(webhooks);
}

/** Throws `webhook_not_found`. */
export async function removeWebhook(
  client: WebhookClient,
  id: string,
  options: CallOptions = {},
): Promise<void> {
  await client.webhookCall('DELETE', pathOf(id), undefined, options);
}

/** Sends an event `webhook.test` now. If it succeeds, a disabled webhook is enabled again. */
export async function testWebhook(
  client: WebhookClient,
  id: string,
  options: CallOptions = {},
): Promise<WebhookTest> {
  return camelKeys(await client.webhookCall<TestWebhookResponse>('POST', `${pathOf(id)}/test`, {}, options));
}

/** Latest events of a webhook, newest first: what was delivered, what waits and why. At most 200. */
export async function webhookDeliveries(
  client: WebhookClient,
  id: string,
  { limit = 50, ...options }: CallOptions & { limit?: number } = {},
): Promise<WebhookDelivery[]> {
  const { deliveries } = await client.webhookCall<{ deliveries: WebhookDeliveryOnWire[] }>(
    'GET',
    `${pathOf(id)}/deliveries?limit=${limit}`,
    undefined,
    options,
  );
  return camelKeys(deliveries);
}
