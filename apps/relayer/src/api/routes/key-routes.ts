import { type KeysResponse, type RewrapResponse, rewrapRequest } from '@memrelay/protocol/key-wraps';
import type { FastifyInstance } from 'fastify';
import { listKeys, type RewrapParts, rewrapKeys } from '../../memories/keys/rewrap-keys.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';

/** The signed routes about the keys of an account; `app` has the auth hook. */
export function keyRoutes(app: FastifyInstance, parts: RewrapParts): void {
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
}
