import { forgetPreviewRequest, forgetRequest } from '@memrelay/protocol/forget';
import {
  type MemoryHit,
  type RememberAccepted,
  type RememberBulkAccepted,
  recallManualRequest,
  recallRequest,
  rememberBulkRequest,
  rememberManualRequest,
  rememberRequest,
} from '@memrelay/protocol/memories';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Loggers } from '../../base/logging/loggers.ts';
import { type RepeatKey, repeatKeyOf } from '../../jobs/queue/repeat-key.ts';
import { type RerankParts, recallReranked } from '../../memories/answers/rerank.ts';
import { type ForgetParts, forget, previewForget } from '../../memories/forget/forget.ts';
import { type RecallManualParts, recallManual } from '../../memories/recall/recall-manual.ts';
import { type AcceptParts, acceptMemories, type NewMemory } from '../../memories/remember/accept-memories.ts';
import { type RememberManualParts, rememberManual } from '../../memories/remember/remember-manual.ts';
import { warnOfDelegateKey } from '../http/deprecations.ts';
import { inPieces } from '../http/json-pieces.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import type { RequestBounds } from '../limits/request-bounds.ts';

export type MemoryRouteParts = AcceptParts &
  ForgetParts &
  RerankParts &
  RecallManualParts &
  RememberManualParts & { requestBounds: RequestBounds; loggers: Loggers };

/** Writes, forgets and recalls; `app` has the auth hook, so every request has a caller. */
export function memoryRoutes(app: FastifyInstance, parts: MemoryRouteParts): void {
  const { accepting, storing, awaitingUpload, recalling } = parts.requestBounds;
  const accept = (
    request: FastifyRequest,
    reply: FastifyReply,
    memories: readonly NewMemory[],
    repeatKey: RepeatKey | undefined,
  ): Promise<string[]> => {
    const { caller, stages } = request;
    const { accountId } = caller.account;
    const store = (): Promise<string[]> =>
      acceptMemories(parts, caller, memories, { repeatKey, stages, answerOf: (jobIds) => jobIds });
    return accepting.run(request, reply, request.rawBody.length, () =>
      storing.run({ accountId, publicKey: caller.publicKey }, store),
    );
  };

  app.post(
    '/api/remember',
    route({ auth: 'signature', scope: ['write'], cost: 5, ownBound: true, sheds: true }),
    async (request, reply): Promise<RememberAccepted> => {
      const item = validate(rememberRequest, request.body);
      const [jobId] = await accept(request, reply, [item], repeatKeyOf(request, item));
      reply.code(202);
      return { job_id: jobId!, status: 'running' };
    },
  );

  app.post(
    '/api/remember/bulk',
    route({ auth: 'signature', scope: ['write'], cost: 10, ownBound: true, sheds: true }),
    async (request, reply): Promise<RememberBulkAccepted> => {
      const bulk = validate(rememberBulkRequest, request.body);
      const jobIds = await accept(request, reply, bulk.items, repeatKeyOf(request, bulk));
      reply.code(202);
      return { job_ids: jobIds, total: jobIds.length, status: 'running' };
    },
  );

  app.post('/api/forget', route({ auth: 'signature', scope: ['forget'], cost: 1 }), async (request) =>
    forget(parts, request.caller, validate(forgetRequest, request.body)),
  );

  app.post('/api/forget/preview', route({ auth: 'signature', scope: ['forget'], cost: 1 }), async (request) =>
    previewForget(parts, request.caller, validate(forgetPreviewRequest, request.body)),
  );

  app.post('/api/recall', route({ auth: 'signature', scope: ['read'], cost: 1 }), async (request, reply) => {
    warnOfDelegateKey(parts.loggers.memories, request, reply);
    const { caller, stages } = request;
    const wanted = validate(recallRequest, request.body);
    return recalling.during(request, reply, async (hold, gone) => {
      const answer = await recallReranked(parts, caller, wanted, { stages, hold, gone });
      return inPieces(reply, answer, 'results', textLength(answer.results));
    });
  });

  app.post(
    '/api/remember/manual',
    route({ auth: 'signature', scope: ['write'], cost: 3, ownBound: true }),
    async (request, reply) => {
      const item = validate(rememberManualRequest, request.body);
      const answer = await awaitingUpload.run(request, reply, request.rawBody.length, () =>
        rememberManual(parts, request.caller, item, repeatKeyOf(request, item)),
      );
      if ('status' in answer) reply.code(202);
      return answer;
    },
  );

  app.post(
    '/api/recall/manual',
    route({ auth: 'signature', scope: ['read'], cost: 1 }),
    async (request, reply) => {
      const { caller, stages } = request;
      const wanted = validate(recallManualRequest, request.body);
      return recalling.during(request, reply, async (hold) => {
        const answer = await recallManual(parts, caller, wanted, { stages, hold });
        const length = answer.results.reduce(
          (sum, { encrypted_data = '' }) => sum + encrypted_data.length,
          0,
        );
        return inPieces(reply, answer, 'results', length);
      });
    },
  );
}

function textLength(hits: readonly Pick<MemoryHit, 'text' | 'context'>[]): number {
  return hits.reduce((sum, { text, context }) => {
    const around = context ? [...context.before, ...context.after] : [];
    return around.reduce((length, each) => length + each.text.length, sum + text.length);
  }, 0);
}
