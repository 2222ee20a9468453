import { type ConnectOptions, withClient } from '../client/connect.ts';
import type { Output } from '../terminal/output.ts';
import { storedJson, storedLine } from './remember.ts';

export interface RetryOptions extends ConnectOptions {
  wait: boolean;
}

/** Puts a failed job back into the queue, and by default waits until it is stored. */
export async function retry(output: Output, jobId: string, options: RetryOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const started = performance.now();
    output.step('Storing');
    await client.retryJob(jobId);
    if (!options.wait) {
      output.done();
      output.result({ id: jobId, job_id: jobId, status: 'running' });
      output.line(`Retrying ${jobId}.`);
      return;
    }
    const job = await client.waitForJob(jobId);
    output.done();
    output.result(storedJson(job));
    output.line(storedLine(job, performance.now() - started));
  });
}
