import type { NamespaceEntry, NamespacesResponse, StatsResponse } from '@memrelay/protocol/memory-lists';
import type { Caller } from '../../accounts/caller.ts';
import type { KeyUses } from '../../accounts/key-uses.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { Embedder } from '../../index/embedding/embedder.ts';
import { listStrays } from '../../jobs/rows/stray-rows.ts';
import { readableNamespace, readableNamespaces, type ScopeParts } from '../reading/scope-namespaces.ts';
import {
  countLost,
  type NamespaceTotals,
  readNamespaceTotals,
  readUnfinishedJobs,
} from '../rows/list-rows.ts';
import { countStale } from '../rows/stale-rows.ts';
import { costForecast } from './cost-forecast.ts';
import { expiringSoon, type StorageTime } from './expiring-soon.ts';

export interface StatsParts extends ScopeParts {
  embedder: Pick<Embedder, 'model'>;
  storageTime: StorageTime;
  keyUses: Pick<KeyUses, 'of'>;
}

/** The namespaces that the caller may read, with what is in them. */
export async function listNamespaces(parts: ScopeParts, caller: Caller): Promise<NamespacesResponse> {
  return {
    owner: caller.account.owner,
    namespaces: (await readableTotals(parts, caller)).map(namespaceEntry),
  };
}

const listedStrays = 200;

/**
 * Returns totals of the namespaces that the caller may read, the state of their jobs, and the number of memories that are
 * stale because the embedding model or tokenizer changed.
 */
export async function accountStats(parts: StatsParts, caller: Caller): Promise<StatsResponse> {
  const accountId = hexToBytes(caller.account.accountId);
  const isReadable = readableNamespace(parts, caller);
  const [totals, jobs, strays] = await Promise.all([
    readableTotals(parts, caller),
    readUnfinishedJobs(parts.db, accountId),
    listStrays(parts.db, accountId, listedStrays),
  ]);
  const names = totals.map(({ namespace }) => namespace);
  const stored = {
    memoryCount: totals.reduce((sum, each) => sum + each.memoryCount, 0),
    storageBytes: totals.reduce((sum, each) => sum + each.storageBytes, 0),
  };
  const [stale, lost, expiry, forecast] = await Promise.all([
    countStale(parts.db, accountId, names, parts.embedder.model),
    countLost(parts.db, accountId, names),
    expiringSoon(parts, accountId, names),
    costForecast(parts.storageTime, stored),
  ]);
  const readable = jobs.filter(({ namespace }) => isReadable(namespace));
  const jobsThatAre = (wanted: string): number =>
    readable.reduce((sum, { status, count }) => sum + (status === wanted ? count : 0), 0);
  const failedIds = readable.flatMap(({ status, ids }) => (status === 'failed' ? ids : [])).slice(0, 20);
  const jobNamespaces = [...new Set(readable.map(({ namespace }) => namespace))].sort();
  const times = totals.flatMap(({ newest, oldest }) => [newest.getTime(), oldest.getTime()]);
  return {
    owner: caller.account.owner,
    memory_count: stored.memoryCount,
    storage_bytes: stored.storageBytes,
    ...(times.length > 0
      ? {
          newest: new Date(times.reduce((a, b) => Math.max(a, b))).toISOString(),
          oldest: new Date(times.reduce((a, b) => Math.min(a, b))).toISOString(),
        }
      : {}),
    stale_count: stale,
    ...(lost ? { lost } : {}),
    ...(expiry ? { expiry } : {}),
    ...(forecast ? { forecast } : {}),
    jobs: {
      running: jobsThatAre('running'),
      failed: jobsThatAre('failed'),
      ...(failedIds.length > 0 ? { failed_ids: failedIds } : {}),
      ...(jobNamespaces.length > 0 ? { namespaces: jobNamespaces } : {}),
    },
    ...(strays.length > 0 ? { blobs_to_delete: strays } : {}),
    ...(caller.delegate.scope?.allNamespaces ? { key_uses: parts.keyUses.of(caller.account) } : {}),
    namespaces: totals.map(namespaceEntry),
  };
}

async function readableTotals(parts: ScopeParts, caller: Caller): Promise<NamespaceTotals[]> {
  const namespaces = await readableNamespaces(parts, caller);
  return readNamespaceTotals(parts.db, hexToBytes(caller.account.accountId), namespaces);
}

function namespaceEntry(totals: NamespaceTotals): NamespaceEntry {
  return {
    namespace: totals.namespace,
    memory_count: totals.memoryCount,
    storage_bytes: totals.storageBytes,
    newest: totals.newest.toISOString(),
    oldest: totals.oldest.toISOString(),
  };
}
