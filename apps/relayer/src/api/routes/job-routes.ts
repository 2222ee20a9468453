import { ApiError } from '@memrelay/protocol/errors';
import { uuidPattern } from '@memrelay/protocol/fields';
import {
  type BulkStatusResponse,
  type BulkStatusResult,
  bulkStatusRequest,
  type JobRecord,
  type RememberAccepted,
} from '@memrelay/protocol/memories';
import type { FastifyInstance } from 'fastify';
import type { Caller, Permission } from '../../accounts/caller.ts';
import { hasPermission, requirePermission } from '../../accounts/require-permission.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { Pipeline } from '../../jobs/pipeline.ts';
import { readJobs } from '../../jobs/rows/read-jobs.ts';
import { retryJob } from '../../jobs/rows/retry-job.ts';
import type { NamespaceTags } from '../../memories/reading/scope-namespaces.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';

export interface JobRouteParts extends NamespaceTags {
  db: Db;
  pipeline: Pick<Pipeline, 'wakeEmbedding' | 'wakeUpload'>;
}

/** Status and retry of memory jobs; `app` has the auth hook. */
export function jobRoutes(app: FastifyInstance, parts: JobRouteParts): void {
  // A key always sees the jobs that it created
  const polling = route({ auth: 'signature', scope: [], cost: 0 });
  app.get<{ Params: { job_id: string } }>(
    '/api/remember/:job_id',
    polling,
    async (request): Promise<JobRecord> => {
      return jobOf(parts, request.caller, request.params.job_id.toLowerCase());
    },
  );

  app.post<{ Params: { job_id: string } }>(
    '/api/remember/:job_id/retry',
    route({ auth: 'signature', scope: ['write'], lookupFirst: true, cost: 1 }),
    async (request, reply): Promise<RememberAccepted> => {
      const { caller } = request;
      const { account } = caller;
      const job = await jobOf(parts, caller, request.params.job_id.toLowerCase());
      requirePermission(caller, 'write', parts.tagOf(account.origin, job.namespace));
      const stage = await retryJob(parts.db, hexToBytes(account.accountId), job.job_id, account.owner);
      if (stage === undefined) {
        const { status } = await jobOf(parts, caller, job.job_id);
        throw new ApiError('job_not_failed', { details: { status } });
      }
      if (stage === 'queued') parts.pipeline.wakeEmbedding();
      else parts.pipeline.wakeUpload();
      reply.code(202);
      return { job_id: job.job_id, status: 'running' };
    },
  );

  app.post('/api/remember/bulk/status', polling, async (request): Promise<BulkStatusResponse> => {
    const { job_ids } = validate(bulkStatusRequest, request.body);
    const jobs = await jobsOf(
      parts,
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
}

/** Throws `job_not_found`. */
async function jobOf(parts: JobRouteParts, caller: Caller, id: string): Promise<JobRecord> {
  const job = (await jobsOf(parts, caller, [id])).get(id);
  if (!job) throw new ApiError('job_not_found');
  return job;
}

/**
 * The jobs that the caller's key created, and those in namespaces where it has READ or WRITE. Only keys with READ see
 * that the same or nearly the same text was already stored.
 */
async function jobsOf(
  { db, tagOf }: JobRouteParts,
  caller: Caller,
  ids: string[],
): Promise<Map<string, JobRecord>> {
  const wellFormed = ids.filter((id) => uuidPattern.test(id));
  if (wellFormed.length === 0) return new Map();
  const { accountId, origin } = caller.account;
  const may = (permission: Permission, namespace: string): boolean =>
    hasPermission(caller, permission, tagOf(origin, namespace));
  const jobs = await readJobs(
    db,
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
