import { countedSecrets, countSecrets } from '@memrelay/capture/prepare-text';
import { defaultNamespace, limits } from '@memrelay/protocol/limits';
import { JobFailedError, JobTimeoutError, MemRelayError } from '@memrelay/sdk/errors';
import type { Job, StoredMemory } from '@memrelay/sdk/types';
import { z } from 'zod';
import { optionalNewNamespace, textParameter } from './fields.ts';
import { quoted } from './quoted.ts';
import { defineTool, type ToolAnswer, type ToolCall } from './tool-definition.ts';

const input = z.strictObject({
  text: textParameter(
    limits.textBytes,
    'The complete fact as one self-contained statement: include names, dates and reasons; use names instead of pronouns',
  ),
  namespace: optionalNewNamespace,
});

const output = z.object({
  status: z.enum(['saved', 'saving', 'failed']),
  job_id: z.string().describe('Id of the write and of its memory'),
  namespace: z.string(),
  blob_id: z.string().optional(),
  already_known: z.literal(true).optional().describe('The same text was already stored'),
  error: z.string().optional(),
  possible_secrets: z
    .array(z.object({ kind: z.string(), count: z.int() }))
    .optional()
    .describe('What in the text looks like a key, token or password'),
});

type Answer = ToolAnswer<z.input<typeof output>>;

export const remember = defineTool({
  name: 'mem_remember',
  title: 'Remember',
  description:
    'Saves one fact in the user\'s encrypted long-term memory. Call it only when the user explicitly asks to remember, save or note something for later. Pass the full statement, not a summary, one fact per call. The same text is stored only once, so repeating a call does no harm. If the result says "still being saved", the fact is safe: do not save it again.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async (args, call) => withWarning(await saveFact(args, call), args.text),
});

/** Of a longer text only the beginning is searched for secrets, which bounds the time that a call can take. */
const searchedCharacters = 100_000;

/** The text is stored as it was given, because the user asked for it. They should know what it contains. */
function withWarning(answer: Answer, text: string): Answer {
  const found = countSecrets(text.slice(0, searchedCharacters));
  if (found.length === 0) return answer;
  return {
    ...answer,
    structured: { ...answer.structured, possible_secrets: found },
    next: [
      ...(answer.next ?? []),
      `Warning: the text contains what looks like ${countedSecrets(found)}. It was passed on unchanged, and every agent that may read the namespace can recall it. Tell the user; \`memrelay forget ${answer.structured.job_id}\` deletes the memory.`,
    ],
  };
}

async function saveFact({ text, namespace }: z.output<typeof input>, call: ToolCall): Promise<Answer> {
  const { memory, signal, waitMs, report } = call;
  const { jobId } = await memory.remember(text, { namespace, signal });
  report(`Accepted as job ${jobId}. It is safe from now on, even if this call is cancelled.`);
  try {
    const job = await memory.waitForJob(jobId, {
      signal,
      timeoutMs: waitMs,
      onProgress: ({ stage }) => stage && report(`Saving: ${stage}`),
    });
    return saved(job);
  } catch (error) {
    if (error instanceof JobFailedError) return failed(error.job);
    if (signal.aborted || !(error instanceof MemRelayError)) throw error;
    const remarks = error instanceof JobTimeoutError ? [] : [`Its state could not be read: ${error.message}`];
    return saving(jobId, namespace ?? defaultNamespace, remarks);
  }
}

function saved({ jobId, blobId, namespace, deduplicated }: StoredMemory): Answer {
  const structured = { status: 'saved' as const, job_id: jobId, namespace, blob_id: blobId };
  const location = `namespace ${quoted(namespace)} (id ${jobId}, blob ${blobId})`;
  return deduplicated
    ? {
        lines: [`Already known: the same text is stored in ${location}.`],
        structured: { ...structured, already_known: true },
      }
    : { lines: [`Saved in ${location}. mem_recall finds it.`], structured };
}

function saving(jobId: string, namespace: string, remarks: readonly string[]): Answer {
  return {
    lines: [`Still being saved in namespace ${quoted(namespace)} as job ${jobId}.`],
    structured: { status: 'saving', job_id: jobId, namespace },
    next: [
      ...remarks,
      'The memory is accepted and safe, and saving continues in the background: do not save it again.',
      'mem_recall finds it within seconds.',
    ],
  };
}

function failed({ jobId, namespace, error, errorCode }: Job): Answer {
  const reason = error ? `${error} (${errorCode})` : 'no reason given';
  return {
    lines: [`The memory was accepted but could not be saved: ${reason}`],
    structured: { status: 'failed', job_id: jobId, namespace, error: reason },
    next: [
      `Next: tell the user. Once the cause is fixed, \`memrelay retry ${jobId}\` or the same call saves it.`,
    ],
    isError: true,
  };
}
