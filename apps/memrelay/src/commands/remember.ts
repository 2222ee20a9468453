import { defaultNamespace } from '@memrelay/protocol/limits';
import type { StoredMemory } from '@memrelay/sdk/types';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { type ContextFlags, contextOptions } from '../terminal/context-flags.ts';
import { duration } from '../terminal/durations.ts';
import { givenText } from '../terminal/given-text.ts';
import type { Output } from '../terminal/output.ts';

export interface RememberOptions extends ConnectOptions, NamespaceOption, ContextFlags {
  wait: boolean;
}

/** Stores one text, and by default waits until it is stored. */
export async function remember(
  output: Output,
  words: readonly string[],
  options: RememberOptions,
): Promise<void> {
  const text = await givenText(words, 'text to remember');
  await withClient(options, async ({ client }) => {
    const started = performance.now();
    const namespace = options.namespace ?? defaultNamespace;
    output.step('Encrypting and storing');
    const { jobId } = await client.remember(text, { namespace, ...contextOptions(options) });
    if (!options.wait) {
      output.done();
      output.result({ id: jobId, job_id: jobId, status: 'running', namespace });
      output.line(
        `Accepted. Id ${jobId}. It can be recalled in a moment; storing continues in the background.`,
      );
      return;
    }
    const job = await client.waitForJob(jobId);
    output.done();
    output.result(storedJson(job));
    output.line(storedLine(job, performance.now() - started));
  });
}

/** A successful job, for a program. */
export function storedJson(job: StoredMemory) {
  const { jobId, namespace, blobId, deduplicated, nearDuplicateOf, similarity } = job;
  return {
    id: jobId,
    job_id: jobId,
    status: 'done',
    namespace,
    blob_id: blobId,
    ...(deduplicated ? { deduplicated: true } : {}),
    ...(nearDuplicateOf ? { near_duplicate_of: nearDuplicateOf, similarity } : {}),
  };
}

/** A successful job, for a person. */
export function storedLine(job: StoredMemory, tookMs: number): string {
  const { jobId, deduplicated, nearDuplicateOf } = job;
  if (deduplicated) return `Already known: the same text is stored. Id ${jobId} names it too.`;
  const stored = `Stored in ${duration(tookMs)}. Id ${jobId}`;
  return nearDuplicateOf
    ? `${stored}\nThe memory with id ${nearDuplicateOf} says nearly the same. Both are kept.`
    : stored;
}
