import { type RestoreResponse, restoreRequest } from '@memrelay/protocol/restore';
import type { FastifyInstance } from 'fastify';
import type { RelayerContext } from '../../context.ts';
import { restore } from '../../upkeep/restore/restore.ts';
import { validate } from '../http/validate.ts';
import { restoreBytes } from '../limits/request-bounds.ts';

/** `app` has the auth hook, so every request has a caller. */
export function restoreRoute(app: FastifyInstance, context: RelayerContext): void {
  const { restoring } = context.requestBounds;
  app.post(
    '/api/restore',
    { config: { ownBound: true } },
    async (request, reply): Promise<RestoreResponse> => {
      const wanted = validate(restoreRequest, request.body);
      const work = () => restore(context, request.caller, wanted);
      return restoring.run(request, reply, restoreBytes, work);
    },
  );
}
