import { ApiError } from '@memrelay/protocol/errors';
import { limits } from '@memrelay/protocol/limits';
import {
  type CreateWebhookResponse,
  createWebhookRequest,
  type DeleteWebhookResponse,
  deliveriesQuery,
  type TestWebhookResponse,
  type WebhookDeliveriesResponse,
  type WebhooksResponse,
} from '@memrelay/protocol/webhooks';
import type { FastifyInstance } from 'fastify';
import {
  createWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  testWebhook,
  type WebhookParts,
} from '../../webhooks/manage-webhooks.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';

export interface WebhookRouteParts {
  /** Undefined with MEM_WEBHOOKS=off */
  webhooks: WebhookParts | undefined;
}

type Named = { Params: { id: string } };

/** The signed routes that manage webhooks; `app` has the auth hook. */
export function webhookRoutes(app: FastifyInstance, { webhooks }: WebhookRouteParts): void {
  const enabled = (): WebhookParts => {
    if (!webhooks) throw new ApiError('webhooks_not_enabled');
    return webhooks;
  };
  const read = route({ auth: 'signature', scope: ['read'], cost: 1 });
  const change = route({ auth: 'signature', scope: ['read'], cost: 5 });

  app.get('/api/webhooks', read, async ({ caller }): Promise<WebhooksResponse> => {
    return { webhooks: await listWebhooks(enabled(), caller) };
  });
  app.post('/api/webhooks', change, async (request, reply): Promise<CreateWebhookResponse> => {
    const parts = enabled();
    const created = await createWebhook(parts, request.caller, validate(createWebhookRequest, request.body));
    reply.code(201);
    return created;
  });
  app.delete<Named>(
    '/api/webhooks/:id',
    change,
    async ({ caller, params }): Promise<DeleteWebhookResponse> => {
      await removeWebhook(enabled(), caller, params.id);
      return { deleted: params.id };
    },
  );
  app.post<Named>(
    '/api/webhooks/:id/test',
    route({ auth: 'signature', scope: ['read'], cost: 10 }),
    async ({ caller, params }): Promise<TestWebhookResponse> => testWebhook(enabled(), caller, params.id),
  );
  app.get<Named>(
    '/api/webhooks/:id/deliveries',
    read,
    async ({ caller, params, query }): Promise<WebhookDeliveriesResponse> => {
      const parts = enabled();
      const { default: usual, max } = limits.deliveriesLimit;
      const { limit } = validate(deliveriesQuery, query);
      const wanted = limit === undefined ? usual : Math.min(Number(limit), max);
      return { deliveries: await listDeliveries(parts, caller, params.id, wanted) };
    },
  );
}
