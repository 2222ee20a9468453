import { forgetRequest } from '@memrelay/protocol/forget';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { z } from 'zod';
import { optionalNamespace } from './fields.ts';
import { shownTime } from './hits.ts';
import { quoted } from './quoted.ts';
import { defineTool } from './tool-definition.ts';

const input = z.strictObject({
  // Never a whole namespace: that is for a person, with the command or the dashboard
  ids: forgetRequest.shape.ids.unwrap().describe('Ids of the memories, as mem_recall and mem_list tell them'),
  namespace: optionalNamespace,
});

const output = z.object({
  namespace: z.string(),
  forgotten: z.int(),
  not_found: z.int().describe('Ids without a memory in this namespace'),
  blobs_to_delete: z.array(z.string()).describe('Objects on chain that only the owner can delete'),
  blobs_shared: z
    .int()
    .optional()
    .describe('Objects that hold living memories too, which are stored anew first'),
  blobs_shared_until: z.string().optional().describe('When that begins at the latest'),
});

export const forget = defineTool({
  name: 'mem_forget',
  title: 'Forget memories',
  description:
    'Removes memories for good, by their ids. It cannot be undone. Call it only when the user asks to forget something: find it with mem_recall first, show the user what would go, and pass the ids of exactly those.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ ids, namespace = defaultNamespace }, { memory, signal }) {
    const wanted = [...new Set(ids)];
    const forgotten = await memory.forget({ ids: wanted, namespace, signal });
    const { deleted, blobsToDelete, blobsShared, blobsSharedUntil: until } = forgotten;
    const missing = Math.max(0, wanted.length - deleted);
    const lines = [
      `${deleted === 1 ? 'One memory was' : `${deleted} memories were`} forgotten in namespace ${quoted(namespace)}.`,
    ];
    if (missing > 0)
      lines.push(
        `${missing} of the ids ${missing === 1 ? 'has' : 'have'} no memory there: gone before, or in another namespace.`,
      );
    if (deleted > 0)
      lines.push(
        'Gone at once: text, vectors, search words and cached copies on this server; no recall finds it, and a restore leaves it out.',
      );
    const next = blobsToDelete.length > 0 ? [remaining(blobsToDelete)] : [];
    if (blobsShared)
      next.push(
        `${blobsShared} more also hold other memories, which are stored anew first${until === undefined ? '' : ` (by ${shownTime(until)})`}; the same call names them later.`,
      );
    return {
      lines,
      next,
      structured: {
        namespace,
        forgotten: deleted,
        not_found: missing,
        blobs_to_delete: blobsToDelete,
        ...(blobsShared ? { blobs_shared: blobsShared } : {}),
        ...(until === undefined ? {} : { blobs_shared_until: until }),
      },
    };
  },
});

/** Ids that stand in the text; all are in the structured output */
const shownObjects = 5;

function remaining(objects: readonly string[]): string {
  const [what, until] =
    objects.length === 1
      ? ['1 encrypted blob', 'it expires or the owner deletes it']
      : [`${objects.length} encrypted blobs`, 'they expire or the owner deletes them'];
  const shown = objects.slice(0, shownObjects).join(' ') + (objects.length > shownObjects ? ' …' : '');
  return `What remains: ${what} in the storage of the owner, until ${until} (\`memrelay blobs delete ${shown}\`). Tell the user. What others have copied cannot be called back.`;
}
