import { type ReindexResponse, reindexRequest } from '@memrelay/protocol/reindex';
import type { FastifyInstance } from 'fastify';
import type { RelayerContext } from '../../context.ts';
import { reindex } from '../../memories/reindex/reindex.ts';
import { validate } from '../http/validate.ts';
import { reindexBytes } from '../limits/request-bounds.ts';

/** `app` has the auth hook, so every request has a caller. */
export function reindexRoute(app: FastifyInstance, context: RelayerContext): void {
  const { reindexing } = context.requestBounds;
  app.post(
    '/api/reindex',
    { config: { ownBound: true } },
    async (request, reply): Promise<ReindexResponse> => {
      const wanted = validate(reindexRequest, request.body);
      const work = () => reindex(context, request.caller, wanted);
      return reindexing.run(request, reply, reindexBytes, work);
    },
  );
}
