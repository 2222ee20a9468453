import { limits } from '@memrelay/protocol/limits';
import type { Restored } from '@memrelay/sdk/restore';
import { z } from 'zod';
import { limitField, namespaceParameter } from './fields.ts';
import { quoted } from './quoted.ts';
import { defineTool, type ToolAnswer, type ToolCall } from './tool-definition.ts';

/** Memories per request, small enough to report progress */
const step = 50;
/** No further request is started after this time: hosts wait about a minute, and one request may take half of that */
const patienceMs = 25_000;

const input = z.strictObject({
  namespace: namespaceParameter('The namespace to restore, for example "default"'),
  limit: limitField(limits.restoreLimit, 'Maximum number of memories to restore in this call'),
});

const output = z.object({
  namespace: z.string(),
  restored: z.int().describe('Restored by this call'),
  skipped: z.int().describe('Already present, or forgotten'),
  total: z.int().describe("Found in the owner's storage"),
  failed: z.int().optional(),
  unverified: z.int().optional().describe('Not signed by a key that the account trusts: skipped'),
  more: z.literal(true).optional().describe('Call again for the rest'),
});
type Output = z.input<typeof output>;

export const restore = defineTool({
  name: 'mem_restore',
  title: 'Restore a namespace',
  description:
    "Re-indexes a namespace from the encrypted blobs in the user's own storage, so that mem_recall finds its memories on this server. Call it when memories that the user expects are missing, for example after moving to another server. It returns only counts, no texts, and never changes or deletes memories. Call it again as long as it reports that there is more.",
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ namespace, limit }, call) {
    call.report("Scanning the owner's storage");
    return answer(await restoreUpTo(limit, namespace, call));
  },
});

/** Repeats the call until nothing is left, the limit is reached or the time is up. Restored memories stay restored. */
async function restoreUpTo(
  limit: number,
  namespace: string,
  { memory, signal, report }: ToolCall,
): Promise<Restored> {
  const started = performance.now();
  let restored = 0;
  for (;;) {
    const part = Math.min(step, limit - restored);
    const answered = await memory.restore({ namespace, limit: part, once: true, signal });
    const before = restored;
    restored += answered.restored;
    report(`${restored} restored, ${answered.total} found`);
    const isEnd = !answered.more || restored >= limit || performance.now() - started > patienceMs;
    if (isEnd) return { ...answered, restored, skipped: answered.skipped - before };
  }
}

function answer({
  namespace,
  restored,
  skipped,
  total,
  failed,
  unverified,
  more,
}: Restored): ToolAnswer<Output> {
  const lines = [
    `Namespace ${quoted(namespace)}: restored ${restored}, skipped ${skipped} (already present, or forgotten), total ${total}.`,
  ];
  if (failed) lines.push(`${failed.length} could not be read; a later call retries them.`);
  if (unverified)
    lines.push(
      `${unverified} are not signed by a key that this account trusts and were skipped; tell the user.`,
    );
  return {
    lines,
    next: more
      ? ['Next: call mem_restore again with the same arguments; there is more to restore.']
      : total === 0
        ? ["The owner's storage contains nothing for this namespace: check its name."]
        : ['mem_recall finds the restored memories.'],
    structured: {
      namespace,
      restored,
      skipped,
      total,
      ...(failed ? { failed: failed.length } : {}),
      ...(unverified ? { unverified } : {}),
      ...(more ? { more } : {}),
    },
  };
}
