import { ApiError } from '@memrelay/protocol/errors';
import { forgetPreviewRequest, forgetRequest } from '@memrelay/protocol/forget';
import {
  type BulkStatusResult,
  bulkStatusRequest,
  type JobRecord,
  type RememberAccepted,
  type RememberBulkAccepted,
  recallManualRequest,
  recallRequest,
  rememberBulkRequest,
  rememberManualRequest,
  rememberRequest,
} from '@memrelay/protocol/memories';
import type { FastifyInstance } from 'fastify';
import type { Caller, Permission } from '../../accounts/caller.ts';
import { hasPermission, requirePermission } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { repeatKeyOf } from '../../jobs/queue/repeat-key.ts';
import { readJobs } from '../../jobs/rows/read-jobs.ts';
import { retryJob } from '../../jobs/rows/retry-job.ts';
import { forget, previewForget } from '../../memories/forget/forget.ts';
import { recall } from '../../memories/recall/recall.ts';
import { recallManual } from '../../memories/recall/recall-manual.ts';
import { remember } from '../../memories/remember/remember.ts';
import { rememberManual } from '../../memories/remember/remember-manual.ts';
import type { RelayerContext } from '../../start/context.ts';
import { warnOfDelegateKey } from '../http/deprecations.ts';
import { inPieces } from '../http/json-pieces.ts';
import { validate } from '../http/validate.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The signed memory routes; `app` has the auth hook, so every request has a caller. */
export function memoryRoutes(app: FastifyInstance, context: RelayerContext): void {
  const { accepting, awaitingUpload, recalling } = context.requestBounds;
  const config = { ownBound: true } as const;
  app.post('/api/remember', { config }, async (request, reply): Promise<RememberAccepted> => {
    const item = validate(rememberRequest, request.body);
    const [jobId] = await accepting.run(request, reply, request.rawBody.length, () =>
      remember(context, request.caller, [item], repeatKeyOf(request, item), request.stages),
    );
    reply.code(202);
    return { job_id: jobId!, status: 'running' };
  });

  app.post('/api/remember/bulk', { config }, async (request, reply): Promise<RememberBulkAccepted> => {
    const bulk = validate(rememberBulkRequest, request.body);
    const jobIds = await accepting.run(request, reply, request.rawBody.length, () =>
      remember(context, request.caller, bulk.items, repeatKeyOf(request, bulk), request.stages),
    );
    reply.code(202);
    return { job_ids: jobIds, total: jobIds.length, status: 'running' };
  });

  app.get<{ Params: { job_id: string } }>('/api/remember/:job_id', async (request): Promise<JobRecord> => {
    return jobOf(context, request.caller, request.params.job_id.toLowerCase());
  });

  app.post<{ Params: { job_id: string } }>(
    '/api/remember/:job_id/retry',
    async (request, reply): Promise<RememberAccepted> => {
      const { caller } = request;
      const { account } = caller;
      const job = await jobOf(context, caller, request.params.job_id.toLowerCase());
      requirePermission(caller, 'write', context.tagOf(account.origin, job.namespace));
      const stage = await retryJob(context.db, hexToBytes(account.accountId), job.job_id, account.owner);
      if (stage === undefined) {
        const { status } = await jobOf(context, caller, job.job_id);
        throw new ApiError('job_not_failed', { details: { status } });
      }
      if (stage === 'queued') context.pipeline.wakeEmbedding();
      else context.pipeline.wakeUpload();
      reply.code(202);
      return { job_id: job.job_id, status: 'running' };
    },
  );

  app.post('/api/remember/bulk/status', async (request): Promise<{ results: BulkStatusResult[] }> => {
    const { job_ids } = validate(bulkStatusRequest, request.body);
    const jobs = await jobsOf(
      context,
      request.caller,
      job_ids.map((id) => id.toLowerCase()),
    );
    return {
      results: job_ids.map((id): BulkStatusResult => {
        const job = jobs.get(id.toLowerCase());
        if (!job) return { job_id: id, status: 'not_found' };
        return {
          job_id: id,
          status: job.status,
          ...(job.blob_id ? { blob_id: job.blob_id } : {}),
          ...(job.deduplicated ? { deduplicated: true } : {}),
          ...(job.near_duplicate_of
            ? { near_duplicate_of: job.near_duplicate_of, similarity: job.similarity! }
            : {}),
          ...(job.error ? { error: job.error, error_code: job.error_code! } : {}),
        };
      }),
    };
  });

  app.post('/api/forget', async (request) =>
    forget(context, request.caller, validate(forgetRequest, request.body)),
  );

  app.post('/api/forget/preview', async (request) =>
    previewForget(context, request.caller, validate(forgetPreviewRequest, request.body)),
  );

  app.post('/api/recall', async (request, reply) => {
    warnOfDelegateKey(context.loggers.memories, request, reply);
    const { caller, stages } = request;
    const wanted = validate(recallRequest, request.body);
    return recalling.during(request, reply, async (hold, gone) => {
      const answer = await recall(context, caller, wanted, { stages, hold, gone });
      return inPieces(reply, answer, 'results', textLength(answer.results));
    });
  });

  app.post('/api/remember/manual', { config }, async (request, reply) => {
    const item = validate(rememberManualRequest, request.body);
    const answer = await awaitingUpload.run(request, reply, request.rawBody.length, () =>
      rememberManual(context, request.caller, item, repeatKeyOf(request, item)),
    );
    if ('status' in answer) reply.code(202);
    return answer;
  });

  app.post('/api/recall/manual', async (request, reply) => {
    const { caller, stages } = request;
    const wanted = validate(recallManualRequest, request.body);
    return recalling.during(request, reply, async (hold) => {
      const answer = await recallManual(context, caller, wanted, { stages, hold });
      const length = answer.results.reduce((sum, { encrypted_data = '' }) => sum + encrypted_data.length, 0);
      return inPieces(reply, answer, 'results', length);
    });
  });
}

function textLength(hits: readonly { text: string }[]): number {
  return hits.reduce((sum, { text }) => sum + text.length, 0);
}

/** Throws `job_not_found`. */
async function jobOf(context: RelayerContext, caller: Caller, id: string): Promise<JobRecord> {
  const job = (await jobsOf(context, caller, [id])).get(id);
  if (!job) throw new ApiError('job_not_found');
  return job;
}

/**
 * The caller's jobs: those that its key created, and those of namespaces where it has READ or WRITE. Only readers see that
 * a text, or nearly the same text, was stored before.
 */
async function jobsOf(
  context: RelayerContext,
  caller: Caller,
  ids: string[],
): Promise<Map<string, JobRecord>> {
  const wellFormed = ids.filter((id) => uuid.test(id));
  if (wellFormed.length === 0) return new Map();
  const { accountId, origin } = caller.account;
  const may = (permission: Permission, namespace: string): boolean =>
    hasPermission(caller, permission, context.tagOf(origin, namespace));
  const jobs = await readJobs(
    context.db,
    hexToBytes(accountId),
    wellFormed,
    ({ namespace, createdBy }) =>
      createdBy === caller.publicKey || may('read', namespace) || may('write', namespace),
  );
  for (const job of jobs.values()) {
    const tells = job.deduplicated || job.near_duplicate_of;
    if (!tells || may('read', job.namespace)) continue;
    delete job.deduplicated;
    delete job.near_duplicate_of;
    delete job.similarity;
  }
  return jobs;
}
