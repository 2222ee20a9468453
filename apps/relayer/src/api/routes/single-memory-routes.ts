import type { RememberAccepted } from '@memrelay/protocol/memories';
import { memoryQuery, replaceRequest, type SingleMemory } from '@memrelay/protocol/single-memory';
import type { FastifyInstance } from 'fastify';
import type { Loggers } from '../../base/logging/loggers.ts';
import { repeatKeyOf } from '../../jobs/queue/repeat-key.ts';
import { type ReadMemoryParts, readMemory } from '../../memories/versions/read-memory.ts';
import { type ReplaceParts, replaceMemory, withMemoryId } from '../../memories/versions/replace-memory.ts';
import { warnOfDelegateKey } from '../http/deprecations.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import type { RequestBounds } from '../limits/request-bounds.ts';

export type SingleMemoryRouteParts = ReadMemoryParts &
  ReplaceParts & { requestBounds: Pick<RequestBounds, 'accepting' | 'recalling'>; loggers: Loggers };

/** The signed routes that name a memory in their path; `app` has the auth hook. */
export function singleMemoryRoutes(app: FastifyInstance, parts: SingleMemoryRouteParts): void {
  const { accepting, recalling } = parts.requestBounds;
  app.get<{ Params: { id: string } }>(
    '/api/memories/:id',
    route({ auth: 'signature', scope: ['read'], cost: 1 }),
    async (request, reply): Promise<SingleMemory> => {
      warnOfDelegateKey(parts.loggers.memories, request, reply);
      const { caller, params, stages } = request;
      const { namespace } = validate(memoryQuery, request.query);
      return recalling.during(request, reply, (hold) =>
        readMemory(parts, caller, { id: params.id, namespace }, { stages, hold }),
      );
    },
  );

  app.post<{ Params: { id: string } }>(
    '/api/memories/:id/replace',
    route({ auth: 'signature', scope: ['write'], lookupFirst: true, cost: 5, ownBound: true }),
    async (request, reply): Promise<RememberAccepted> => {
      const { caller, stages } = request;
      const { id } = request.params;
      const wanted = validate(replaceRequest, request.body);
      const repeatKey = withMemoryId(repeatKeyOf(request, wanted), id);
      const answer = await recalling.during(request, reply, (hold) =>
        accepting.run(request, reply, request.rawBody.length, () =>
          replaceMemory(parts, caller, { ...wanted, id }, repeatKey, { stages, hold }),
        ),
      );
      reply.code(202);
      return answer;
    },
  );
}
