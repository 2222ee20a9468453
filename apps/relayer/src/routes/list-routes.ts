import {
  type MemoriesResponse,
  memoriesRequest,
  type NamespacesResponse,
  type StatsResponse,
} from '@memrelay/protocol/memory-lists';
import type { FastifyInstance } from 'fastify';
import type { RelayerContext } from '../context.ts';
import { validate } from '../http/validate.ts';
import { accountStats, listNamespaces } from '../memories/account-stats.ts';
import { listMemories } from '../memories/list-memories.ts';

/** The signed routes that tell what is stored, without its text; `app` has the auth hook. */
export function listRoutes(app: FastifyInstance, context: RelayerContext): void {
  app.post(
    '/api/memories',
    async (request): Promise<MemoriesResponse> =>
      listMemories(context, request.caller, validate(memoriesRequest, request.body)),
  );
  app.post(
    '/api/namespaces',
    async (request): Promise<NamespacesResponse> => listNamespaces(context, request.caller),
  );
  app.post('/api/stats', async (request): Promise<StatsResponse> => accountStats(context, request.caller));
}
