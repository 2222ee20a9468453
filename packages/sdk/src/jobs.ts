import { limits } from '@memrelay/protocol/limits';
import type { BulkStatusResult, JobRecord } from '@memrelay/protocol/memories';
import { chunksOf } from './chunks.ts';
import { camelKeys } from './wire/camel-keys.ts';
import { type ApiCall, type Connection, callRelayer, type Reply } from './wire/request.ts';
import type { CallOptions, Job, JobOutcome } from './wire/types.ts';

/** Options of a status request: its signal, and for a poll its own retry policy. */
export type RequestOptions = Pick<ApiCall, 'signal' | 'policy'>;

/** The waiting loop repeats polls itself. */
function onePoll(timeoutMs: number): NonNullable<ApiCall['policy']> {
  return { maxAttempts: 1, deadlineMs: timeoutMs };
}

/** The state of one job. Throws `job_not_found`. */
export async function readJob(
  connection: Connection,
  id: string,
  options: RequestOptions,
): Promise<Reply<Job>> {
  const path = `/api/remember/${encodeURIComponent(id)}`;
  const reply = await callRelayer<JobRecord>(connection, { method: 'GET', path, ...options });
  return { ...reply, value: camelKeys(reply.value) };
}

/** The states of at most 20 jobs, in the requested order. */
export async function readJobs(
  connection: Connection,
  ids: readonly string[],
  options: RequestOptions,
): Promise<Reply<JobOutcome[]>> {
  const call: ApiCall = {
    method: 'POST',
    path: '/api/remember/bulk/status',
    body: { job_ids: ids },
    ...options,
  };
  const reply = await callRelayer<{ results: BulkStatusResult[] }>(connection, call);
  return { ...reply, value: camelKeys(reply.value.results) };
}

/** The states of any number of jobs, in the requested order. */
export async function readAllJobs(
  connection: Connection,
  ids: readonly string[],
  { signal }: CallOptions,
): Promise<JobOutcome[]> {
  const outcomes: JobOutcome[] = [];
  for (const chunk of chunksOf(ids, limits.bulkItems))
    outcomes.push(...(await readJobs(connection, chunk, { signal })).value);
  return outcomes;
}

/** One poll of a job, for the waiting loop. */
export function pollJob(connection: Connection, id: string, { signal }: CallOptions) {
  return (timeoutMs: number) => readJob(connection, id, { signal, policy: onePoll(timeoutMs) });
}

/** One poll of several jobs. */
export function pollJobs(connection: Connection, { signal }: CallOptions) {
  return (ids: readonly string[]) => (timeoutMs: number) =>
    readJobs(connection, ids, { signal, policy: onePoll(timeoutMs) });
}
