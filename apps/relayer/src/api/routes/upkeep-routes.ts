import { type KeysResponse, type RewrapResponse, rewrapRequest } from '@memrelay/protocol/key-wraps';
import { type ReindexResponse, reindexRequest } from '@memrelay/protocol/reindex';
import { type RestoreResponse, restoreRequest } from '@memrelay/protocol/restore';
import type { FastifyInstance } from 'fastify';
import { listKeys, type RewrapParts, rewrapKeys } from '../../memories/keys/rewrap-keys.ts';
import { type ReindexParts, reindex } from '../../memories/reindex/reindex.ts';
import { type RestoreParts, restore } from '../../upkeep/restore/restore.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import { type RequestBounds, reindexBytes, restoreBytes } from '../limits/request-bounds.ts';

export type UpkeepRouteParts = RewrapParts & ReindexParts & RestoreParts & { requestBounds: RequestBounds };

/** Signed routes that renew keys and vectors, and rebuild a namespace from the chain; `app` has the auth hook. */
export function upkeepRoutes(app: FastifyInstance, parts: UpkeepRouteParts): void {
  const { reindexing, restoring } = parts.requestBounds;
  app.post(
    '/api/keys',
    route({ auth: 'signature', scope: ['read'], cost: 1 }),
    async (request): Promise<KeysResponse> => listKeys(parts, request.caller),
  );
  app.post(
    '/api/keys/rewrap',
    route({ auth: 'signature', scope: ['read', 'write'], cost: 1 }),
    async (request, reply): Promise<RewrapResponse> => {
      const answer = await rewrapKeys(parts, request.caller, validate(rewrapRequest, request.body));
      reply.code(202);
      return answer;
    },
  );
  app.post(
    '/api/reindex',
    route({ auth: 'signature', scope: ['read'], cost: 1, ownBound: true }),
    async (request, reply): Promise<ReindexResponse> => {
      const wanted = validate(reindexRequest, request.body);
      return reindexing.run(request, reply, reindexBytes, () => reindex(parts, request.caller, wanted));
    },
  );
  app.post(
    '/api/restore',
    route({ auth: 'signature', scope: ['read'], cost: 3, ownBound: true }),
    async (request, reply): Promise<RestoreResponse> => {
      const wanted = validate(restoreRequest, request.body);
      return restoring.run(request, reply, restoreBytes, () => restore(parts, request.caller, wanted));
    },
  );
}
