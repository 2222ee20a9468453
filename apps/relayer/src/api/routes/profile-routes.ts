import { type ProfileResponse, profileRequest } from '@memrelay/protocol/profile';
import type { FastifyInstance } from 'fastify';
import type { Loggers } from '../../base/logging/loggers.ts';
import { profile } from '../../memories/answers/profile.ts';
import type { RecallParts } from '../../memories/recall/recall.ts';
import { warnOfDelegateKey } from '../http/deprecations.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import type { RequestBounds } from '../limits/request-bounds.ts';

export type ProfileRouteParts = RecallParts & {
  requestBounds: Pick<RequestBounds, 'recalling'>;
  loggers: Loggers;
};

/** The signed route that collects facts from memories; `app` has the auth hook. */
export function profileRoutes(app: FastifyInstance, parts: ProfileRouteParts): void {
  app.post(
    '/api/profile',
    route({ auth: 'signature', scope: ['read'], cost: 1 }),
    async (request, reply): Promise<ProfileResponse> => {
      warnOfDelegateKey(parts.loggers.memories, request, reply);
      const { caller, stages } = request;
      const wanted = validate(profileRequest, request.body);
      return parts.requestBounds.recalling.during(request, reply, (hold, gone) =>
        profile(parts, caller, wanted, { stages, hold, gone }),
      );
    },
  );
}
