import { describe, expect, it } from 'vitest';
import { JobFailedError, JobTimeoutError } from '../src/wire/errors.ts';
import type { Job, JobOutcome } from '../src/wire/types.ts';
import { errorAnswer, rejection, type SeenRequest, startWire, testClient } from './wire-double.ts';

const blobId = 'b'.repeat(43);
const running = { job_id: 'j1', status: 'running', owner: '0x1', namespace: 'n' };
const done = { ...running, status: 'done', blob_id: blobId };
const gaps = (seen: SeenRequest[]) => seen.slice(1).map(({ at }, index) => at - seen[index]!.at);

describe('waitForJob', () => {
  it('returns the job as soon as it is done', async () => {
    await using wire = await startWire([{ json: done }]);
    const start = performance.now();
    const job = await testClient(wire.url).waitForJob('j1');
    expect(job).toEqual({ jobId: 'j1', status: 'done', owner: '0x1', namespace: 'n', blobId });
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(wire.seen[0]).toMatchObject({ method: 'GET', path: '/api/remember/j1' });
  });

  it('polls quickly at first, then less and less often', async () => {
    await using wire = await startWire((_, number) => ({ json: number < 7 ? running : done }));
    const start = performance.now();
    await testClient(wire.url).waitForJob('j1');
    expect(wire.seen[0]!.at - start).toBeLessThan(1_000);
    const between = gaps(wire.seen);
    expect(between[0]).toBeLessThan(1_000);
    expect(between.at(-1)).toBeGreaterThan(300);
  });

  it('reports only changes', async () => {
    const states = [
      { ...running, stage: 'queued', attempts: 0 },
      { ...running, stage: 'queued', attempts: 0, updated_at: 'later' },
      { ...running, stage: 'uploading', attempts: 1, next_retry_at: 't', error: 'm', error_code: 'c' },
      done,
    ];
    await using wire = await startWire(states.map((json) => ({ json })));
    const reported: Job[] = [];
    await testClient(wire.url).waitForJob('j1', { onProgress: (job) => reported.push(job) });
    expect(reported.map(({ stage, status }) => stage ?? status)).toEqual(['queued', 'uploading', 'done']);
    expect(reported[1]).toMatchObject({ nextRetryAt: 't', error: 'm', errorCode: 'c' });
  });

  it('retries dropped connections, 429 and 503, and waits as long as requested', async () => {
    await using wire = await startWire([
      'drop',
      errorAnswer(503, 'overloaded', { 'retry-after': '1' }),
      { json: running, headers: { 'retry-after': '1' } },
      { json: done },
    ]);
    expect(await testClient(wire.url).waitForJob('j1')).toMatchObject({ blobId });
    const [, afterRefusal, afterPoll] = gaps(wire.seen);
    expect(afterRefusal).toBeGreaterThanOrEqual(990);
    expect(afterPoll).toBeGreaterThanOrEqual(990);
  });

  it('throws the reason of a failed job', async () => {
    const failed = {
      ...running,
      status: 'failed',
      error: 'All failed.',
      error_code: 'upload_exhausted',
    };
    await using wire = await startWire([{ json: failed }]);
    const error = await rejection(testClient(wire.url).waitForJob('j1'));
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({ code: 'job_failed', job: { jobId: 'j1', status: 'failed' } });
    expect(error.message).toContain('All failed. (upload_exhausted)');
  });

  it('throws immediately when the job does not exist', async () => {
    await using wire = await startWire([errorAnswer(404, 'job_not_found')]);
    expect(await rejection(testClient(wire.url).waitForJob('j1'))).toMatchObject({ code: 'job_not_found' });
    expect(wire.seen).toHaveLength(1);
  });

  it('ends after timeoutMs with the last state, even when the relayer does not respond', async () => {
    for (const answer of [{ json: { ...running, stage: 'embedding' } }, 'silence'] as const) {
      await using wire = await startWire([answer]);
      const start = performance.now();
      const error = await rejection(testClient(wire.url).waitForJob('j1', { timeoutMs: 400 }));
      expect(performance.now() - start).toBeLessThan(3_000);
      expect(error).toBeInstanceOf(JobTimeoutError);
      expect(error).toMatchObject({ code: 'job_timeout', retryable: true, jobs: [{ status: 'running' }] });
    }
  });

  it('does not start a pause that would exceed its time', async () => {
    await using wire = await startWire([errorAnswer(429, 'rate_limited', { 'retry-after': '60' })]);
    const start = performance.now();
    const error = await rejection(testClient(wire.url).waitForJob('j1', { timeoutMs: 5_000 }));
    expect(error).toMatchObject({ code: 'job_timeout', cause: { code: 'rate_limited' } });
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it('can be aborted', async () => {
    await using wire = await startWire([{ json: running }]);
    const controller = new AbortController();
    const wait = rejection(testClient(wire.url).waitForJob('j1', { signal: controller.signal }));
    await wire.requests(2);
    controller.abort();
    expect((await wait).name).toBe('AbortError');
  });

  it('rejects a done job without a blob', async () => {
    await using wire = await startWire([{ json: { ...running, status: 'done' } }]);
    expect(await rejection(testClient(wire.url).waitForJob('j1'))).toMatchObject({
      code: 'invalid_response',
    });
  });
});

it('rememberAndWait stores, then waits', async () => {
  await using wire = await startWire([
    { status: 202, json: { job_id: 'j1', status: 'running' } },
    { json: running },
    { json: done },
  ]);
  expect(await testClient(wire.url).rememberAndWait('t', { namespace: 'n' })).toMatchObject({ blobId });
  expect(wire.seen.map(({ path }) => path)).toEqual([
    '/api/remember',
    '/api/remember/j1',
    '/api/remember/j1',
  ]);
});

describe('many jobs', () => {
  const ids = Array.from({ length: 45 }, (_, index) => `j${index % 43}`);
  const outcome = (id: string, status: string) => ({
    job_id: id,
    status,
    ...(status === 'done' ? { blob_id: `${id}-blob` } : {}),
  });
  const bulkAnswer = (request: SeenRequest, status: (id: string) => string) => ({
    json: { results: (request.json.job_ids as string[]).map((id) => outcome(id, status(id))) },
  });

  it('are requested in chunks of 20, in order, with duplicates', async () => {
    await using wire = await startWire((request) => bulkAnswer(request, () => 'done'));
    const jobs = await testClient(wire.url).jobs(ids);
    expect(jobs.map(({ jobId }) => jobId)).toEqual(ids);
    expect(wire.seen.map(({ json }) => (json.job_ids as string[]).length)).toEqual([20, 20, 5]);
    expect(await testClient(wire.url).jobs([])).toEqual([]);
    expect(wire.seen).toHaveLength(3);
  });

  it('are polled together: finished ones are not requested again, failed ones are outcomes', async () => {
    const pollCounts = new Map<string, number>();
    await using wire = await startWire((request) =>
      bulkAnswer(request, (id) => {
        pollCounts.set(id, (pollCounts.get(id) ?? 0) + 1);
        if (id === 'j3') return 'failed';
        if (id === 'j4') return 'not_found';
        return id === 'j7' && pollCounts.get(id) === 1 ? 'running' : 'done';
      }),
    );
    const progress: number[] = [];
    const countDone = (jobs: readonly JobOutcome[]) => jobs.filter(({ status }) => status === 'done').length;
    const jobs = await testClient(wire.url).waitForJobs(ids, {
      onProgress: (state) => progress.push(countDone(state)),
    });
    expect(jobs.map(({ jobId }) => jobId)).toEqual(ids);
    expect(jobs[3]!.status).toBe('failed');
    expect(jobs[4]!.status).toBe('not_found');
    expect(jobs[43]).toEqual(jobs[0]);
    expect(pollCounts.get('j7')).toBe(2);
    expect(pollCounts.get('j0')).toBe(1);
    expect(progress).toEqual([42, 43]);
  });

  it('keep what is known when a later chunk fails or time is up', async () => {
    await using wire = await startWire((request) =>
      request.json.job_ids && (request.json.job_ids as string[]).includes('j40')
        ? 'drop'
        : bulkAnswer(request, () => 'done'),
    );
    const error = await rejection(testClient(wire.url).waitForJobs(ids, { timeoutMs: 500 }));
    expect(error).toBeInstanceOf(JobTimeoutError);
    const jobs = error.jobs as JobOutcome[];
    expect(jobs.map(({ jobId }) => jobId)).toEqual(ids);
    expect(jobs.filter(({ status }) => status === 'done')).toHaveLength(42);
    expect(error.message).toContain('3 of 45');
  });

  it('return immediately if there are none', async () => {
    await using wire = await startWire([]);
    expect(await testClient(wire.url).waitForJobs([])).toEqual([]);
    expect(wire.seen).toHaveLength(0);
  });
});
