import { randomUUID } from 'node:crypto';
import { permissions } from '@memrelay/chain/account-bcs';
import { ApiError } from '@memrelay/protocol/errors';
import { uuidPattern } from '@memrelay/protocol/fields';
import { limits } from '@memrelay/protocol/limits';
import {
  type CreateWebhookRequest,
  type CreateWebhookResponse,
  type TestWebhookResponse,
  type Webhook,
  type WebhookDelivery,
  webhookEvents,
} from '@memrelay/protocol/webhooks';
import type { Caller } from '../accounts/caller.ts';
import { namespacesWith, requirePermission } from '../accounts/require-permission.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Db } from '../base/db/db.ts';
import { hexToBytes } from '../base/db/hex.ts';
import { checkWebhookUrl } from './check-url.ts';
import { testPayload } from './payload.ts';
import { readDeliveries, type StoredDelivery } from './rows/delivery-rows.ts';
import {
  deleteWebhook,
  enableWebhook,
  insertWebhook,
  lockedWebhookCount,
  readWebhook,
  readWebhooks,
  type StoredWebhook,
} from './rows/webhook-rows.ts';
import { newSecret, type TargetSeal } from './sealed-target.ts';
import { sendWebhook } from './send-webhook.ts';
import { type AccessParts, accessProblem } from './webhook-access.ts';

export interface WebhookParts extends AccessParts {
  db: Db;
  audit: Pick<AuditLog, 'append'>;
  seal: TargetSeal;
  /** See `SendOptions` */
  allowPrivate: boolean;
}

const testTimeoutMs = 10_000;

/**
 * Registers a webhook with the caller's key. A key that reads only some namespaces must name them, so that it learns about
 * no others. Throws `invalid_request`, `insufficient_scope`, `webhook_limit_reached`.
 */
export async function createWebhook(
  parts: WebhookParts,
  caller: Caller,
  request: CreateWebhookRequest,
): Promise<CreateWebhookResponse> {
  const { origin } = caller.account;
  const namespaces = request.namespaces && [...new Set(request.namespaces)];
  const tags = namespaces?.map((namespace) => Buffer.from(parts.tagOf(origin, namespace)));
  for (const tag of tags ?? []) requirePermission(caller, 'read', tag);
  if (!tags && namespacesWith(caller, 'read') !== 'all') throw new ApiError('insufficient_scope');
  const url = checkWebhookUrl(request.url, parts);
  const accountId = hexToBytes(caller.account.accountId);
  const row = { accountId, id: randomUUID() };
  const target = { url, secret: newSecret() };
  const events = webhookEvents.filter((event) => request.events?.includes(event) ?? true);
  const stored = await parts.db.transaction(async (tx) => {
    if ((await lockedWebhookCount(tx, accountId)) >= limits.webhooksPerAccount)
      throw new ApiError('webhook_limit_reached');
    const inserted = await insertWebhook(tx, accountId, {
      id: row.id,
      delegate_pk: hexToBytes(caller.publicKey),
      events,
      namespaces: namespaces ?? null,
      sealed: parts.seal.seal(row, target),
    });
    await parts.audit.append(tx, accountId, {
      action: 'webhook.created',
      actor: caller.publicKey,
      detail: { webhook_id: row.id, events, ...(tags && { tags: tags.map((tag) => tag.toString('hex')) }) },
    });
    return inserted;
  });
  return { webhook: describe(stored, url), secret: target.secret };
}

/** The webhooks that the caller may manage. */
export async function listWebhooks(parts: WebhookParts, caller: Caller): Promise<Webhook[]> {
  const stored = await readWebhooks(parts.db, hexToBytes(caller.account.accountId));
  return stored
    .filter((webhook) => mayManage(caller, webhook))
    .map((webhook) => describe(webhook, targetOf(parts, caller, webhook).url));
}

/** Throws `webhook_not_found`. */
export async function removeWebhook(parts: WebhookParts, caller: Caller, id: string): Promise<void> {
  const { id: webhook_id } = await find(parts, caller, id);
  const accountId = hexToBytes(caller.account.accountId);
  await parts.db.transaction(async (tx) => {
    if (!(await deleteWebhook(tx, accountId, webhook_id))) throw new ApiError('webhook_not_found');
    await parts.audit.append(tx, accountId, {
      action: 'webhook.deleted',
      actor: caller.publicKey,
      detail: { webhook_id },
    });
  });
}

/** Sends a test event now. A successful one enables a disabled webhook again. Throws `webhook_not_found`. */
export async function testWebhook(
  parts: WebhookParts,
  caller: Caller,
  id: string,
): Promise<TestWebhookResponse> {
  const webhook = await find(parts, caller, id);
  const accountId = hexToBytes(caller.account.accountId);
  const startedMs = performance.now();
  const problem = await accessProblem(parts, accountId, webhook.delegate_pk, undefined);
  const sent = problem
    ? { delivered: false, error: problem }
    : await sendWebhook(targetOf(parts, caller, webhook), testPayload(caller.account.accountId), {
        allowPrivate: parts.allowPrivate,
        timeoutMs: testTimeoutMs,
      });
  if (sent.delivered) await enableWebhook(parts.db, accountId, webhook.id);
  return {
    delivered: sent.delivered,
    ...('status' in sent ? { status: sent.status } : {}),
    ...('error' in sent ? { error: sent.error } : {}),
    duration_ms: Math.round(performance.now() - startedMs),
  };
}

/** The latest events of a webhook, in namespaces that the caller may read. Throws `webhook_not_found`. */
export async function listDeliveries(
  parts: WebhookParts,
  caller: Caller,
  id: string,
  limit: number,
): Promise<WebhookDelivery[]> {
  const webhook = await find(parts, caller, id);
  const rows = await readDeliveries(parts.db, hexToBytes(caller.account.accountId), webhook.id, limit);
  const readable = namespacesWith(caller, 'read');
  const isReadable = ({ namespace }: StoredDelivery): boolean =>
    readable === 'all' ||
    readable.has(Buffer.from(parts.tagOf(caller.account.origin, namespace)).toString('hex'));
  return rows.filter(isReadable).map(describeDelivery);
}

/** The key that registered it, and keys with every permission in all namespaces: they may act for the owner. */
function mayManage(caller: Caller, { delegate_pk }: StoredWebhook): boolean {
  const { scope } = caller.delegate;
  return (
    delegate_pk.toString('hex') === caller.publicKey ||
    (scope?.allNamespaces === true && scope.perms === permissions.all)
  );
}

async function find(parts: WebhookParts, caller: Caller, id: string): Promise<StoredWebhook> {
  const accountId = hexToBytes(caller.account.accountId);
  const webhook = uuidPattern.test(id) ? await readWebhook(parts.db, accountId, id) : undefined;
  if (!webhook || !mayManage(caller, webhook)) throw new ApiError('webhook_not_found');
  return webhook;
}

function targetOf(parts: WebhookParts, caller: Caller, { id, sealed }: StoredWebhook) {
  const target = parts.seal.open({ accountId: hexToBytes(caller.account.accountId), id }, sealed);
  if (!target) throw new ApiError('internal_error');
  return target;
}

function describe(webhook: StoredWebhook, url: string): Webhook {
  const { id, events, namespaces, failing_since, last_error, disabled_at, disabled_reason } = webhook;
  return {
    id,
    url,
    events,
    ...(namespaces ? { namespaces } : {}),
    public_key: webhook.delegate_pk.toString('hex'),
    created_at: webhook.created_at.toISOString(),
    status: disabled_at ? 'disabled' : failing_since ? 'failing' : 'active',
    ...(failing_since ? { failing_since: failing_since.toISOString() } : {}),
    ...(last_error ? { last_error } : {}),
    ...(disabled_at ? { disabled_at: disabled_at.toISOString() } : {}),
    ...(disabled_reason ? { disabled_reason } : {}),
  };
}

function describeDelivery(row: StoredDelivery): WebhookDelivery {
  const { id, type, namespace, memory_ids, reason, created_at, status, attempts, last_error, ended_at } = row;
  return {
    id,
    type,
    namespace,
    memory_ids,
    ...(reason ? { reason } : {}),
    created_at: created_at.toISOString(),
    status,
    attempts,
    ...(status === 'waiting' ? { next_attempt_at: row.next_at.toISOString() } : {}),
    ...(last_error ? { last_error } : {}),
    ...(ended_at ? { ended_at: ended_at.toISOString() } : {}),
  };
}
