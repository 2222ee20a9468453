import { type ReindexResponse, reindexRequest } from '@memrelay/protocol/reindex';
import type { FastifyInstance } from 'fastify';
import { type ReindexParts, reindex } from '../../memories/reindex/reindex.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import { type RequestBounds, reindexBytes } from '../limits/request-bounds.ts';

export type ReindexRouteParts = ReindexParts & { requestBounds: RequestBounds };

/** `app` has the auth hook, so every request has a caller. */
export function reindexRoute(app: FastifyInstance, parts: ReindexRouteParts): void {
  const { reindexing } = parts.requestBounds;
  app.post(
    '/api/reindex',
    route({ auth: 'signature', scope: ['read'], cost: 1, ownBound: true }),
    async (request, reply): Promise<ReindexResponse> => {
      const wanted = validate(reindexRequest, request.body);
      const work = () => reindex(parts, request.caller, wanted);
      return reindexing.run(request, reply, reindexBytes, work);
    },
  );
}
