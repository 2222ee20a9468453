import type { NamespaceEntry, Stats } from '@memrelay/sdk/types';
import { type ConnectOptions, withClient } from '../connect.ts';
import { dataSize } from '../data-size.ts';
import type { Output } from '../output.ts';
import { columns, plainText } from '../plain-text.ts';
import { moment } from './list.ts';

/** The namespaces that the key may read, with what is in them. */
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
    output.line('There is no namespace yet: `npx memrelay remember "…" --namespace NAME` begins one.');
}

/** All that the key may read, in numbers, and what deserves a look. */
export async function stats(output: Output, options: ConnectOptions): Promise<void> {
  const found = await withClient(options, ({ client }) => client.stats());
  output.result({
    memory_count: found.memoryCount,
    storage_bytes: found.storageBytes,
    ...(found.newest ? { newest: found.newest } : {}),
    ...(found.oldest ? { oldest: found.oldest } : {}),
    stale_count: found.staleCount,
    jobs: {
      running: found.jobs.running,
      failed: found.jobs.failed,
      ...(found.jobs.failedIds ? { failed_ids: found.jobs.failedIds } : {}),
    },
    ...(found.blobsToDelete ? { blobs_to_delete: found.blobsToDelete } : {}),
    namespaces: found.namespaces.map(namespaceJson),
  });
  for (const line of columns(statsRows(found))) output.line(line);
  for (const id of found.jobs.failedIds ?? []) output.line(`  npx memrelay retry ${id}`);
  if (found.staleCount > 0)
    output.line(
      `${found.staleCount} are not found by a recall: their vectors are of another model than the relayer has now.`,
    );
  if (found.blobsToDelete)
    output.line(
      `${counted(found.blobsToDelete.length, 'blob object is', 'blob objects are')} of no use: paid for twice, or stored after the memory was forgotten. You may delete them:\n  npx memrelay blobs delete ${found.blobsToDelete.join(' ')}`,
    );
}

function statsRows({ memoryCount, storageBytes, newest, oldest, jobs, namespaces }: Stats): string[][] {
  return [
    ['Memories', String(memoryCount)],
    ['Namespaces', String(namespaces.length)],
    ['Encrypted size', dataSize(storageBytes)],
    ['Newest', newest ? moment(newest) : 'none'],
    ['Oldest', oldest ? moment(oldest) : 'none'],
    ['Jobs running', String(jobs.running)],
    ['Jobs failed', `${jobs.failed}${jobs.failed > 0 ? '; try them again with:' : ''}`],
  ];
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
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
