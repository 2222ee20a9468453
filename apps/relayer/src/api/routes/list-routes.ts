import { ApiError } from '@memrelay/protocol/errors';
import {
  type MemoriesResponse,
  memoriesRequest,
  type NamespacesResponse,
  type OwnerNamespacesResponse,
  type StatsResponse,
} from '@memrelay/protocol/memory-lists';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Loggers } from '../../base/logging/loggers.ts';
import { accountStats, listNamespaces, type StatsParts } from '../../memories/lists/account-stats.ts';
import { type ListTextsParts, listMemories, listTexts } from '../../memories/lists/list-memories.ts';
import { warnOfDelegateKey } from '../http/deprecations.ts';
import { inPieces } from '../http/json-pieces.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import type { RequestBounds } from '../limits/request-bounds.ts';

export type ListRouteParts = StatsParts &
  ListTextsParts & { requestBounds: Pick<RequestBounds, 'recalling'>; loggers: Loggers };

/** The signed routes that list memories and namespaces; `app` has the auth hook. */
export function listRoutes(app: FastifyInstance, parts: ListRouteParts): void {
  const lists = route({ auth: 'signature', scope: ['read'], cost: 1 });
  app.post('/api/memories', lists, async (request, reply): Promise<MemoriesResponse | FastifyReply> => {
    const { caller, stages } = request;
    const wanted = validate(memoriesRequest, request.body);
    if (!wanted.texts) return listMemories(parts, caller, wanted);
    warnOfDelegateKey(parts.loggers.memories, request, reply);
    return parts.requestBounds.recalling.during(request, reply, async (hold) => {
      const answer = await listTexts(parts, caller, wanted, { stages, hold });
      const length = answer.memories.reduce((sum, { text = '' }) => sum + text.length, 0);
      return inPieces(reply, answer, 'memories', length);
    });
  });
  const namespaces = async (request: FastifyRequest): Promise<NamespacesResponse> =>
    listNamespaces(parts, request.caller);
  app.post('/api/namespaces', lists, namespaces);
  app.get('/api/namespaces', lists, namespaces);
  // The route of the original system's newest client. The owner in the path must be the owner of the signing key's
  // account
  app.get<{ Params: { owner: string } }>('/v1/owners/:owner/namespaces', lists, async (request) => {
    if (request.params.owner.toLowerCase() !== request.caller.account.owner) throw new ApiError('not_found');
    return originalForm(await listNamespaces(parts, request.caller));
  });
  app.post(
    '/api/stats',
    lists,
    async (request): Promise<StatsResponse> => accountStats(parts, request.caller),
  );
}

/** Adds the field names that the original system's client reads. It reads no further page when `has_more` is false. */
function originalForm({ owner, namespaces }: NamespacesResponse): OwnerNamespacesResponse {
  return {
    owner,
    namespaces: namespaces.map((entry) => ({
      ...entry,
      id: entry.namespace,
      name: entry.namespace,
      storage_used: entry.storage_bytes,
      updated_at: entry.newest,
    })),
    has_more: false,
    snapshot_version: 0,
  };
}
