import type { NamespaceEntry, Stats } from '@memrelay/sdk/types';
import { type ConnectOptions, withClient } from '../client/connect.ts';
import { embedderText } from '../client/embedder-text.ts';
import { expiryRemark } from '../cost/expiry-remark.ts';
import { forecastJson, forecastLine } from '../cost/forecast-line.ts';
import { type DateOfEpoch, storageDates } from '../cost/storage-dates.ts';
import { dataSize } from '../terminal/data-size.ts';
import type { Output } from '../terminal/output.ts';
import { columns, counted, plainText } from '../terminal/plain-text.ts';
import { moment } from './list.ts';

/** Lists the namespaces that the key may read, with their contents. */
export async function namespaces(output: Output, options: ConnectOptions): Promise<void> {
  const found = await withClient(options, ({ client }) => client.namespaces());
  output.result({ namespaces: found.map(namespaceJson) });
  const rows = found.map((entry) => [
    plainText(entry.namespace),
    counted(entry.memoryCount, 'memory', 'memories'),
    dataSize(entry.storageBytes),
    `newest ${moment(entry.newest)}`,
    `oldest ${moment(entry.oldest)}`,
  ]);
  for (const line of columns(rows)) output.line(line);
  if (found.length === 0)
    output.line('There is no namespace yet: `npx memrelay remember "…" --namespace NAME` creates one.');
}

export interface StatsOptions extends ConnectOptions {
  /** Also show what a year of renewals costs */
  forecast?: boolean;
}

/** Shows statistics of everything that the key may read, and what needs attention. */
export async function stats(output: Output, options: StatsOptions): Promise<void> {
  const { found, model, dateOf, remark } = await withClient(options, async ({ client }) => {
    const [numbers, dates, config] = await Promise.all([
      client.stats(),
      storageDates(client),
      client.config(),
    ]);
    const lines = output.json ? [] : await expiryRemark(client, numbers, dates);
    return { found: numbers, model: config.embedding.model, dateOf: dates, remark: lines };
  });
  output.result({
    memory_count: found.memoryCount,
    storage_bytes: found.storageBytes,
    ...(found.newest ? { newest: found.newest } : {}),
    ...(found.oldest ? { oldest: found.oldest } : {}),
    embedding_model: model,
    stale_count: found.staleCount,
    ...(found.lost ? { lost: found.lost } : {}),
    ...(found.expiry ? { expiry: expiryJson(found.expiry) } : {}),
    jobs: {
      running: found.jobs.running,
      failed: found.jobs.failed,
      ...(found.jobs.failedIds ? { failed_ids: found.jobs.failedIds } : {}),
    },
    ...(found.blobsToDelete ? { blobs_to_delete: found.blobsToDelete } : {}),
    namespaces: found.namespaces.map(namespaceJson),
    ...(options.forecast ? { forecast: forecastJson(found.forecast) } : {}),
  });
  for (const line of columns(statsRows(found, model, dateOf))) output.line(line);
  for (const id of found.jobs.failedIds ?? []) output.line(`  npx memrelay retry ${id}`);
  for (const line of remark) output.line(line);
  if (options.forecast) output.line(forecastLine(found.forecast));
  if (found.staleCount > 0)
    output.line(
      `${counted(found.staleCount, 'memory is', 'memories are')} found only by keywords, because the vectors are from a different embedding model: run \`npx memrelay reindex\`.`,
    );
  if (found.blobsToDelete)
    output.line(
      `${counted(found.blobsToDelete.length, 'blob object is', 'blob objects are')} not needed: paid for twice, or stored after the memory was forgotten. You can delete them:\n  npx memrelay blobs delete ${found.blobsToDelete.join(' ')}`,
    );
}

function statsRows(stats: Stats, model: string, dateOf: DateOfEpoch): string[][] {
  const next = stats.expiry && dateOf(stats.expiry.epoch + 1);
  const { memoryCount, storageBytes, newest, oldest, jobs, namespaces, lost, expiry } = stats;
  const { expired = 0, missing = 0 } = lost ?? {};
  return [
    ['Memories', String(memoryCount)],
    ...(lost ? [['Lost of them', `${expired + missing}: ${expired} expired, ${missing} missing`]] : []),
    ['Namespaces', String(namespaces.length)],
    ['Encrypted size', dataSize(storageBytes)],
    ['Embeddings', embedderText(model)],
    ['Newest', newest ? moment(newest) : 'none'],
    ['Oldest', oldest ? moment(oldest) : 'none'],
    ...(expiry
      ? [['Storage epoch', `${expiry.epoch}${next ? `, until ${next.toISOString().slice(0, 10)}` : ''}`]]
      : []),
    ['Jobs running', String(jobs.running)],
    [
      'Jobs failed',
      `${jobs.failed}${jobs.failed > 0 ? `; retry ${jobs.failed === 1 ? 'it' : 'them'} with:` : ''}`,
    ],
  ];
}

function expiryJson({ epoch, soonCount, soonBytes, firstEpoch, renewed }: NonNullable<Stats['expiry']>) {
  return {
    epoch,
    soon_count: soonCount,
    soon_bytes: soonBytes,
    ...(firstEpoch === undefined ? {} : { first_epoch: firstEpoch }),
    renewed,
  };
}

function namespaceJson(entry: NamespaceEntry) {
  return {
    namespace: entry.namespace,
    memory_count: entry.memoryCount,
    storage_bytes: entry.storageBytes,
    newest: entry.newest,
    oldest: entry.oldest,
  };
}
