import { limits } from '@memrelay/protocol/limits';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { MemoriesOptions, MemoryEntry } from '@memrelay/sdk/types';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { expiryRemark } from '../cost/expiry-remark.ts';
import { type DateOfEpoch, epochText, storageDates } from '../cost/storage-dates.ts';
import type { Paint } from '../terminal/colours.ts';
import { type TagFlags, tagFilter } from '../terminal/context-flags.ts';
import { dataSize } from '../terminal/data-size.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { columns, plainText } from '../terminal/plain-text.ts';

export interface ListOptions extends ConnectOptions, NamespaceOption, TagFlags {
  limit?: string;
  texts?: boolean;
}

const encrypted = 'The texts are encrypted: `--texts` reads them, and `npx memrelay recall "…"` finds them.';
const defaultLimit = limits.listLimit.default;

/** Lists the stored memories, newest first, with their texts if asked for. */
export async function list(output: Output, options: ListOptions): Promise<void> {
  const limit = parseLimit(options.limit);
  const { namespace, texts } = options;
  const tags = tagFilter(options);
  if (tags && namespace === undefined)
    throw new ExitError(
      exitCodes.usage,
      'A list by tags needs --namespace: tags of different namespaces are not compared.',
    );
  // Reads one more than it shows, to know whether there are more
  const { found, dateOf, remark } = await withClient(options, async ({ client }) => {
    const [entries, dates] = await Promise.all([
      take(client, { namespace, tags, texts }, limit + 1),
      storageDates(client),
    ]);
    const speaks = !output.json && entries.some(({ expiresEpoch }) => expiresEpoch !== undefined);
    return {
      found: entries,
      dateOf: dates,
      remark: speaks ? await expiryRemark(client, await client.stats(), dates) : [],
    };
  });
  const shown = found.slice(0, limit);
  output.result({ memories: shown.map((memory) => json(memory, dateOf)), more: found.length > limit });
  if (output.json) return;
  const rows = columns(shown.map((memory) => row(memory, dateOf, output.paint)));
  for (const [i, line] of rows.entries()) {
    output.line(line);
    if (texts) output.line(`  ${textOf(shown[i]!)}`);
  }
  const remarked = remarks(shown, found.length > limit, namespace, tags !== undefined);
  for (const line of [...remarked, ...(texts || shown.length === 0 ? [] : [encrypted]), ...remark])
    output.line(line);
}

async function take(client: MemRelay, options: MemoriesOptions, count: number): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for await (const entry of client.memories({ ...options, limit: Math.min(count, limits.listLimit.max) })) {
    entries.push(entry);
    if (entries.length === count) break;
  }
  return entries;
}

function parseLimit(text: string | undefined): number {
  const limit = text === undefined ? defaultLimit : Number(text);
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new ExitError(exitCodes.usage, '--limit must be a whole number from 1.');
}

function row(memory: MemoryEntry, dateOf: DateOfEpoch, paint: Paint): string[] {
  return [
    moment(memory.createdAt),
    plainText(memory.namespace),
    dataSize(memory.size),
    stateOf(memory, dateOf),
    paint('dim', memory.id),
  ];
}

const textOf = ({ text, error }: MemoryEntry): string =>
  text === undefined ? `(cannot be read: ${error})` : plainText(text);

function stateOf({ lost, pending, expiresEpoch }: MemoryEntry, dateOf: DateOfEpoch): string {
  if (lost) return lost;
  if (pending) return '(pending)';
  return expiresEpoch === undefined ? '' : `until ${epochText(expiresEpoch, dateOf)}`;
}

/** `2026-11-21 08:48` in UTC, like all times in the output. */
export function moment(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

function json(memory: MemoryEntry, dateOf: DateOfEpoch) {
  const expiresAt = memory.expiresEpoch === undefined ? undefined : dateOf(memory.expiresEpoch);
  return {
    id: memory.id,
    ...(memory.blobId ? { blob_id: memory.blobId } : {}),
    ...(memory.pending ? { pending: true } : {}),
    namespace: memory.namespace,
    created_at: memory.createdAt,
    size: memory.size,
    importance: memory.importance,
    ...(memory.expiresEpoch === undefined ? {} : { expires_epoch: memory.expiresEpoch }),
    ...(expiresAt ? { expires_at: expiresAt.toISOString() } : {}),
    ...(memory.supersededBy ? { superseded_by: memory.supersededBy } : {}),
    ...(memory.lost ? { lost: memory.lost } : {}),
    ...(memory.nearDuplicateOf
      ? { near_duplicate_of: memory.nearDuplicateOf, similarity: memory.similarity }
      : {}),
    // Without `expires_at` of the memory: that name is the blob's here
    text: memory.text,
    error: memory.error,
    session: memory.session,
    speaker: memory.speaker,
    happened_at: memory.happenedAt,
    tags: memory.tags,
    metadata: memory.metadata,
  };
}

function remarks(
  shown: readonly MemoryEntry[],
  more: boolean,
  namespace: string | undefined,
  filtered: boolean,
): string[] {
  if (shown.length === 0 && filtered)
    return [`Nothing in namespace "${plainText(namespace!)}" has these tags.`];
  if (shown.length === 0)
    return [
      namespace === undefined
        ? 'Nothing is stored yet.'
        : `Nothing is stored in namespace "${plainText(namespace)}"; \`npx memrelay namespaces\` lists the existing ones.`,
      'Store something with `npx memrelay remember "…"`.',
    ];
  const pending = shown.filter((memory) => memory.pending).length;
  const lost = shown.filter((memory) => memory.lost).length;
  const replaced = shown.filter((memory) => memory.supersededBy).length;
  return [
    '',
    ...(pending > 0 ? [`${pending} pending: accepted and safe, still on the way to the blob store.`] : []),
    ...(replaced > 0
      ? [
          `${replaced} replaced by a later memory (\`--json\` shows which): they are kept, and count half in a recall.`,
        ]
      : []),
    ...(lost > 0
      ? [`${lost} lost: their blobs expired or are missing. They are kept, and come back with their blobs.`]
      : []),
    ...(more ? [`There are more: \`npx memrelay list --limit ${shown.length * 10}\`.`] : []),
  ];
}
