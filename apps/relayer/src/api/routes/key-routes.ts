import { type KeysResponse, type RewrapResponse, rewrapRequest } from '@memrelay/protocol/key-wraps';
import type { FastifyInstance } from 'fastify';
import type { RelayerContext } from '../../context.ts';
import { listKeys, rewrapKeys } from '../../memories/keys/rewrap-keys.ts';
import { validate } from '../http/validate.ts';

/** The signed routes about the keys of an account; `app` has the auth hook. */
export function keyRoutes(app: FastifyInstance, context: RelayerContext): void {
  app.post('/api/keys', async (request): Promise<KeysResponse> => listKeys(context, request.caller));
  app.post('/api/keys/rewrap', async (request, reply): Promise<RewrapResponse> => {
    const answer = await rewrapKeys(context, request.caller, validate(rewrapRequest, request.body));
    reply.code(202);
    return answer;
  });
}
