import { envelopeKind } from '@memrelay/envelope/header';
import type { Caller } from '../../accounts/caller.ts';
import type { ExpiredDelegates } from '../../accounts/expired-delegates.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db } from '../../base/db/db.ts';
import type { Loggers } from '../../base/logging/loggers.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import type { Pipeline } from '../../jobs/pipeline.ts';
import { insertJobs, type NewJob } from '../../jobs/rows/accept-jobs.ts';
import { deleteMemories, inOtherMemories, type Removed } from '../../jobs/rows/forget-rows.ts';
import type { AccountNamespace } from '../../jobs/rows/forgotten-objects.ts';
import { saveTombstonedBlobs } from '../../jobs/rows/tombstoned-blobs.ts';
import type { NamespaceKeys } from '../../keys/namespace-keys.ts';
import { sealJob } from '../../keys/seal-job.ts';
import { noteWebhookEvent } from '../../webhooks/rows/delivery-rows.ts';

/** Maximum number of envelope ids in a tombstone (packages/envelope, `supersedes`). */
const perTombstone = 200;

/** Ids in an entry of the audit log, which counts all. */
const auditedIds = 20;

export interface RemoveParts {
  db: Db;
  audit: Pick<AuditLog, 'append'>;
  blobCache: Pick<BlobCache, 'delete'>;
  expiredDelegates: ExpiredDelegates;
  loggers: Pick<Loggers, 'memories'>;
  namespaceKeys: Pick<NamespaceKeys, 'current'>;
  pipeline: Pick<Pipeline, 'wakeUpload'>;
  secrets: Secrets;
}

/**
 * Removes memories of a namespace permanently, each batch in one transaction with the tombstone that names it. Returns
 * what was known about them.
 */
export async function removeMemories(
  parts: RemoveParts,
  caller: Pick<Caller, 'account' | 'publicKey'>,
  ns: AccountNamespace,
  ids: readonly string[],
  reason: 'request' | 'expiry' = 'request',
): Promise<Removed[]> {
  // An empty namespace gets no key
  if (ids.length === 0) return [];
  const tombstoneFor = await tombstones(parts, caller, ns);
  const removed: Removed[] = [];
  for (let i = 0; i < ids.length; i += perTombstone) {
    const part = ids.slice(i, i + perTombstone);
    const gone = await parts.db.transaction(async (tx) => {
      const rows = await deleteMemories(tx, ns, part);
      const inOthers = await inOtherMemories(tx, ns, rows);
      const envelopeIds = rows
        .flatMap(({ envelopeId }) => (envelopeId ? [envelopeId.toString('hex')] : []))
        .filter((id) => !inOthers.has(id));
      // There may be more than requested: jobs that repeat a text are removed with it
      for (let at = 0; at < envelopeIds.length; at += perTombstone) {
        const tombstone = tombstoneFor(envelopeIds.slice(at, at + perTombstone));
        await insertJobs(tx, [tombstone], 'uploading');
        await saveTombstonedBlobs(
          tx,
          ns.accountId,
          tombstone.id,
          rows.map(({ id }) => id),
        );
      }
      if (rows.length > 0) {
        await noteWebhookEvent(tx, ns.accountId, {
          type: 'memory.forgotten',
          namespace: ns.namespace,
          memoryIds: rows.map(({ id }) => id),
          reason,
        });
        await parts.audit.append(tx, ns.accountId, {
          action: 'memories.forgotten',
          actor: caller.publicKey,
          detail: {
            reason,
            tag: ns.tag.toString('hex'),
            count: rows.length,
            ids: rows.slice(0, auditedIds).map(({ id }) => id),
          },
        });
      }
      return rows;
    });
    // No row refers to these blobs any more. If they cannot be deleted now, they expire from the cache
    await parts.blobCache
      .delete(gone.flatMap(({ blobId }) => blobId ?? []))
      .catch((error: Error) => parts.loggers.memories.warn({ err: error }, 'cached blobs not deleted'));
    removed.push(...gone);
  }
  if (removed.length > 0) parts.pipeline.wakeUpload();
  return removed;
}

/** Makes tombstones for envelope ids (32 hex digits each), under the namespace's current key. */
async function tombstones(
  parts: RemoveParts,
  caller: Pick<Caller, 'account' | 'publicKey'>,
  { namespace, tag }: AccountNamespace,
): Promise<(envelopeIds: string[]) => NewJob> {
  const account = await parts.expiredDelegates.pruned(caller.account);
  const key = await parts.namespaceKeys.current(account, tag);
  return (supersedes) =>
    sealJob(parts, caller, {
      kind: envelopeKind.tombstone,
      account,
      namespace,
      keyEpoch: account.keyEpoch,
      key,
      meta: { supersedes },
      text: '',
    });
}
