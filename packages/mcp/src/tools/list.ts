import { limits } from '@memrelay/protocol/limits';
import type { MemoryEntry } from '@memrelay/sdk/types';
import { z } from 'zod';
import { limitField, optionalNamespace } from './fields.ts';
import { countedMemories, shownTime } from './hits.ts';
import { quoted } from './quoted.ts';
import { defineTool } from './tool-definition.ts';

const input = z.strictObject({
  namespace: optionalNamespace.describe(
    'If omitted: the default namespace of this session, or all namespaces if there is no default',
  ),
  limit: limitField({ ...limits.listLimit, default: 20 }, 'Maximum number of memories per page'),
  cursor: z.string().min(1).max(512).describe('next_cursor of the previous page').optional(),
});

const entry = z.object({
  id: z.string(),
  namespace: z.string(),
  created_at: z.string(),
  size: z.int().describe('Encrypted bytes'),
  importance: z.number(),
  blob_id: z.string().optional(),
  expires_epoch: z.int().optional().describe('The blob expires at the start of this storage epoch'),
  still_saving: z.literal(true).optional(),
  lost: z.enum(['expired', 'missing']).optional().describe('Why it cannot be read'),
});
type Entry = z.input<typeof entry>;

const output = z.object({ memories: z.array(entry), next_cursor: z.string().optional() });

export const list = defineTool({
  name: 'mem_list',
  title: 'List memories',
  description:
    'Lists the stored memories, newest first, without their texts: ids, times, sizes, and whether each can still be read. Call it to count or review memories; to read them use mem_recall.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ namespace, limit, cursor }, { memory, signal }) {
    const page = await memory.memoriesPage({
      limit,
      signal,
      ...(cursor === undefined ? {} : { cursor }),
      ...(namespace === undefined ? { allNamespaces: true } : { namespace }),
    });
    const memories = page.memories.map(entryOf);
    const where = namespace === undefined ? 'in all namespaces' : `in namespace ${quoted(namespace)}`;
    const lines = [
      memories.length === 0
        ? `No ${cursor === undefined ? '' : 'further '}memory ${where}.`
        : `${countedMemories(memories.length)} ${where}, newest first:`,
      ...memories.map((memory) => `- ${entryLine(memory)}`),
    ];
    return {
      lines,
      next:
        page.nextCursor === undefined
          ? []
          : [`There are more. Call again with cursor ${quoted(page.nextCursor)}.`],
      structured: {
        memories,
        ...(page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor }),
      },
    };
  },
});

function entryOf(memory: MemoryEntry): Entry {
  const { id, namespace, createdAt, size, importance, blobId, expiresEpoch, pending, lost } = memory;
  return {
    id,
    namespace,
    created_at: createdAt,
    size,
    importance,
    ...(blobId === undefined ? {} : { blob_id: blobId }),
    ...(expiresEpoch === undefined ? {} : { expires_epoch: expiresEpoch }),
    ...(pending ? { still_saving: true } : {}),
    ...(lost === undefined ? {} : { lost }),
  };
}

function entryLine(memory: Entry): string {
  return [
    `id ${memory.id}`,
    `saved ${shownTime(memory.created_at)}`,
    `namespace ${quoted(memory.namespace)}`,
    `${memory.size} bytes`,
    ...(memory.still_saving ? ['still being saved'] : []),
    ...(memory.lost ? [`lost: its blob is ${memory.lost}`] : []),
  ].join(' · ');
}
