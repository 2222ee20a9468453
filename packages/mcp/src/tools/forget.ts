import { forgetRequest } from '@memrelay/protocol/forget';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { z } from 'zod';
import { optionalNamespace } from './fields.ts';
import { shownTime } from './hits.ts';
import { quoted } from './quoted.ts';
import { defineTool } from './tool-definition.ts';

const input = z.strictObject({
  // Never a whole namespace: only a person may do that, with the CLI or the dashboard
  ids: forgetRequest.shape.ids
    .unwrap()
    .describe('Ids of the memories, as returned by mem_recall and mem_list'),
  namespace: optionalNamespace,
});

const output = z.object({
  namespace: z.string(),
  forgotten: z.int(),
  not_found: z.int().describe('Number of ids without a memory in this namespace'),
  blobs_to_delete: z.array(z.string()).describe('Objects on chain that only the owner can delete'),
  blobs_shared: z
    .int()
    .optional()
    .describe('Objects that also contain other memories, which must be stored again first'),
  blobs_shared_until: z.string().optional().describe('When that starts at the latest'),
});

export const forget = defineTool({
  name: 'mem_forget',
  title: 'Forget memories',
  description:
    'Removes memories permanently, by their ids. This cannot be undone. Call it only when the user asks to forget something: find it with mem_recall first, show the user what would be removed, and pass exactly those ids.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ ids, namespace = defaultNamespace }, { memory, signal }) {
    const uniqueIds = [...new Set(ids)];
    const forgotten = await memory.forget({ ids: uniqueIds, namespace, signal });
    const { deleted, blobsToDelete, blobsShared, blobsSharedUntil: until } = forgotten;
    const missing = Math.max(0, uniqueIds.length - deleted);
    const lines = [
      `${deleted === 1 ? 'One memory was' : `${deleted} memories were`} forgotten in namespace ${quoted(namespace)}.`,
    ];
    if (missing > 0)
      lines.push(
        `${missing} of the ids ${missing === 1 ? 'has' : 'have'} no memory there: already removed, or in another namespace.`,
      );
    if (deleted > 0)
      lines.push(
        'Removed immediately: text, vectors, search words and cached copies on this server. No recall finds it, and a restore skips it.',
      );
    const next = blobsToDelete.length > 0 ? [remaining(blobsToDelete)] : [];
    if (blobsShared)
      next.push(
        `${blobsShared} more also contain other memories, which are stored again first${until === undefined ? '' : ` (by ${shownTime(until)})`}; repeat the call later to get their ids.`,
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

/** Number of ids in the text; the structured output has all of them */
const shownObjects = 5;

function remaining(objects: readonly string[]): string {
  const [what, until] =
    objects.length === 1
      ? ['1 encrypted blob', 'it expires or the owner deletes it']
      : [`${objects.length} encrypted blobs`, 'they expire or the owner deletes them'];
  const shown = objects.slice(0, shownObjects).join(' ') + (objects.length > shownObjects ? ' …' : '');
  return `Remaining: ${what} in the owner's storage, until ${until} (\`memrelay blobs delete ${shown}\`). Tell the user. Copies made by others cannot be recalled.`;
}
