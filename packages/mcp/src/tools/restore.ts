import { limits } from '@memrelay/protocol/limits';
import type { Restored } from '@memrelay/sdk/restore';
import { z } from 'zod';
import { limitField, namespaceParameter } from './fields.ts';
import { quoted } from './quoted.ts';
import { defineTool, type ToolAnswer, type ToolCall } from './tool-definition.ts';

/** Memories asked for at once, so that there is progress to tell */
const step = 50;
/** No further request is begun after this long: hosts wait about a minute, and a request may take half of it */
const patienceMs = 25_000;

const input = z.strictObject({
  namespace: namespaceParameter('The namespace to bring back, for example "default"'),
  limit: limitField(limits.restoreLimit, 'Most memories to bring back in this call'),
});

const output = z.object({
  namespace: z.string(),
  restored: z.int().describe('Brought back by this call'),
  skipped: z.int().describe('There already, or forgotten'),
  total: z.int().describe('Found in the storage of the owner'),
  failed: z.int().optional(),
  unverified: z.int().optional().describe('Signed by nobody the account trusts: left out'),
  more: z.literal(true).optional().describe('Call again for the rest'),
});
type Output = z.input<typeof output>;

export const restore = defineTool({
  name: 'mem_restore',
  title: 'Restore a namespace',
  description:
    "Re-indexes a namespace from the encrypted blobs in the user's own storage, so that mem_recall finds its memories on this server. Call it when memories that the user knows of are missing, for example after a move to another server. It returns counts only, no texts; nothing is changed or lost by it. Call it again while it says that there is more.",
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ namespace, limit }, call) {
    call.report('Looking at the storage of the owner');
    return answer(await restoreUpTo(limit, namespace, call));
  },
});

/** Calls until there is no more, the limit is reached or the patience ends; what was restored stays, whatever comes. */
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
    `Namespace ${quoted(namespace)}: restored ${restored}, skipped ${skipped} (there already, or forgotten), total ${total}.`,
  ];
  if (failed) lines.push(`${failed.length} could not be read now; a later call tries them again.`);
  if (unverified)
    lines.push(
      `${unverified} are signed by nobody this account trusts and were left out; the user can look into it.`,
    );
  return {
    lines,
    next: more
      ? ['Next: call mem_restore again with the same arguments; there is more to bring back.']
      : total === 0
        ? ['Nothing of this namespace is in the storage of the owner: check its name.']
        : ['mem_recall finds what was restored.'],
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
