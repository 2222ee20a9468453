import { timingSafeEqual } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { ApiKey } from './key-servers/aggregator.ts';
import type { Network } from './network.ts';

/**
 * Controls for tests. They require the token in `<data dir>/admin.token`, so that pages cannot use them. `POST
 * advance-epoch {epochs}` advances the epoch. `POST committee {down?, apiKey?}` stops the members with these party
 * ids, and makes the aggregator require a header (`{name, key}`, or `null` for none).
 */
export function adminRoutes({ chain, adminToken, keyServers }: Network): FastifyPluginAsync {
  const expected = Buffer.from(`Bearer ${adminToken}`);
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      const authorization = Buffer.from(request.headers.authorization ?? '');
      if (authorization.length === expected.length && timingSafeEqual(authorization, expected)) return;
      return reply.code(401).send({ error: 'unauthorized', message: 'the admin token is missing or wrong' });
    });
    app.post<{ Body: { epochs?: unknown } | null }>('/advance-epoch', async ({ body }, reply) => {
      const epochs = body?.epochs ?? 1;
      if (!Number.isInteger(epochs) || Number(epochs) < 1 || Number(epochs) > 1000) {
        return refuse(reply, 'epochs must be 1 to 1000');
      }
      return { epoch: chain.advanceEpoch(Number(epochs)) };
    });
    app.post<{ Body: { down?: unknown; apiKey?: unknown } | null }>('/committee', async ({ body }, reply) => {
      const { down, apiKey } = body ?? {};
      if (down !== undefined && !isPartyIds(down)) return refuse(reply, 'down must be a list of party ids');
      if (apiKey !== undefined && apiKey !== null && !isApiKey(apiKey)) {
        return refuse(reply, 'apiKey must be {name, key} or null');
      }
      if (down) keyServers.committee.setDown(down);
      if (apiKey !== undefined) keyServers.committee.requireApiKey(apiKey ?? undefined);
      return {};
    });
  };
}

function isPartyIds(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each));
}

function isApiKey(value: unknown): value is ApiKey {
  const { name, key } = value as Partial<ApiKey>;
  return typeof name === 'string' && name !== '' && typeof key === 'string' && key !== '';
}

function refuse(reply: FastifyReply, message: string): FastifyReply {
  return reply.code(400).send({ error: 'invalid_request', message });
}
