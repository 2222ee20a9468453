import { type ConnectOptions, withClient } from '../client/connect.ts';
import { type ContextFlags, contextOptions } from '../terminal/context-flags.ts';
import { duration } from '../terminal/durations.ts';
import { givenText } from '../terminal/given-text.ts';
import type { Output } from '../terminal/output.ts';
import { storedJson } from './remember.ts';

export interface ReplaceOptions extends ConnectOptions, ContextFlags {
  wait: boolean;
}

/** Stores a text that supersedes a memory, and by default waits until it is stored. */
export async function replace(
  output: Output,
  id: string,
  words: readonly string[],
  options: ReplaceOptions,
): Promise<void> {
  const text = await givenText(words, 'text to store');
  await withClient(options, async ({ client }) => {
    const started = performance.now();
    output.step('Encrypting and storing');
    const { jobId } = await client.replace(id, text, contextOptions(options));
    if (!options.wait) {
      output.done();
      output.result({ id: jobId, job_id: jobId, status: 'running', replaces: id });
      output.line(`Accepted. Id ${jobId}. It replaces ${id} in a moment.`);
      return;
    }
    const job = await client.waitForJob(jobId);
    output.done();
    output.result({ ...storedJson(job), replaces: id });
    output.line(
      job.deduplicated
        ? `Already known: a memory has this text. If it is another one than ${id}, it replaces that.`
        : `Stored in ${duration(performance.now() - started)}. Id ${jobId}. It replaces ${id}, which is kept.`,
    );
  });
}
