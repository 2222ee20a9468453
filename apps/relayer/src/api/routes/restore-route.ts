import { type RestoreResponse, restoreRequest } from '@memrelay/protocol/restore';
import type { FastifyInstance } from 'fastify';
import { type RestoreParts, restore } from '../../upkeep/restore/restore.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import { type RequestBounds, restoreBytes } from '../limits/request-bounds.ts';

export type RestoreRouteParts = RestoreParts & { requestBounds: RequestBounds };

/** `app` has the auth hook, so every request has a caller. */
export function restoreRoute(app: FastifyInstance, parts: RestoreRouteParts): void {
  const { restoring } = parts.requestBounds;
  app.post(
    '/api/restore',
    route({ auth: 'signature', scope: ['read'], cost: 3, ownBound: true }),
    async (request, reply): Promise<RestoreResponse> => {
      const wanted = validate(restoreRequest, request.body);
      const work = () => restore(parts, request.caller, wanted);
      return restoring.run(request, reply, restoreBytes, work);
    },
  );
}
