import type { DescribedOperation } from './described-operation.ts';

const off = 'webhooks_not_enabled';
const named = [off, 'webhook_not_found'] as const;

export const webhookOperations: Record<string, DescribedOperation> = {
  'GET /api/webhooks': {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description:
      'Those that the signing key registered; all of the account, if the key has every permission in all namespaces.',
    answers: { 200: 'WebhooksResponse' },
    errors: [off],
  },
  'POST /api/webhooks': {
    id: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Register a webhook',
    description:
      'Needs READ in the namespaces that it names; without `namespaces`, in all of them. Deliveries are signed as in the Standard Webhooks specification with the `secret`, which is returned only here. They contain ids and no text. At most 10 for an account.',
    body: 'webhooks/createWebhookRequest',
    answers: { 201: 'CreateWebhookResponse' },
    errors: [off, 'webhook_limit_reached'],
  },
  'DELETE /api/webhooks/:id': {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    answers: { 200: 'DeleteWebhookResponse' },
    errors: named,
  },
  'POST /api/webhooks/:id/test': {
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event now',
    description:
      'Answers after the receiver, at most 10 seconds. A successful test enables a disabled webhook again.',
    answers: { 200: 'TestWebhookResponse' },
    errors: named,
  },
  'GET /api/webhooks/:id/deliveries': {
    id: 'webhookDeliveries',
    tag: 'Webhooks',
    summary: 'List the latest deliveries of a webhook',
    description: 'Newest first, kept for 7 days; only in namespaces that the key may read. At most 200.',
    query: 'webhooks/deliveriesQuery',
    answers: { 200: 'WebhookDeliveriesResponse' },
    errors: named,
  },
};
