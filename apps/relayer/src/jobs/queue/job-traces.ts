import { noTracing, type Tracing } from '@memrelay/process/tracing';
import { LRUCache } from 'lru-cache';

/** Continues the traces of requests in the jobs that they accepted. */
export interface JobTraces {
  /** Call it in the request, when it has accepted these jobs. */
  accepted(jobIds: readonly string[]): void;
  /** Runs a batch of jobs in a span of the trace of the first one, linked to those of the others. */
  run(
    stage: 'embedding' | 'uploading',
    jobs: readonly { id: string }[],
    work: () => Promise<void>,
  ): Promise<void>;
}

/** Jobs whose traces are kept: those of the last minutes. A job that another relayer accepted begins a new trace. */
const kept = { max: 20_000, ttl: 15 * 60_000 };

export function createJobTraces(tracing: Tracing): JobTraces {
  if (tracing === noTracing) return { accepted: () => undefined, run: (_stage, _jobs, work) => work() };
  const traces = new LRUCache<string, string>(kept);
  return {
    accepted(jobIds) {
      const trace = tracing.current();
      if (trace !== undefined) for (const id of jobIds) traces.set(id, trace);
    },
    run(stage, jobs, work) {
      const [parent, ...links] = [...new Set(jobs.flatMap(({ id }) => traces.get(id) ?? []))];
      const attributes = { jobs: jobs.length, job_id: jobs[0]?.id ?? '' };
      return tracing.span(`job ${stage}`, { kind: 'consumer', parent, links, attributes }, work);
    },
  };
}
