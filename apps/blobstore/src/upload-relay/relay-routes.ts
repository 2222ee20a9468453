import type { FastifyInstance } from 'fastify';
import { type ConcurrencyLimit, createAdmission } from '../http/admission.ts';
import { ignoreContentType } from '../http/receive-body.ts';
import { replyJson } from '../http/reply-json.ts';
import { relayNotOffered } from './relay-errors.ts';
import { parseRelayQuery } from './relay-query.ts';
import { type RelayParts, relayUpload, type UploadRelay } from './relay-upload.ts';
import { tipConfig } from './tip.ts';

export interface RelayRouteParts extends RelayParts {
  /** Absent without a chain */
  uploadRelay: UploadRelay | undefined;
  limits: { publisher: ConcurrencyLimit };
}

/** The real relay accepts every request, and `@mysten/walrus` does not retry, so the queue is long. */
const maxWaiting = 1000;

/**
 * `GET /v1/tip-config` and `POST /v1/blob-upload-relay`: for clients that register and certify blobs in their own
 * transactions and send the bytes to the relay. Without a chain both respond 501.
 */
export function addUploadRelay(app: FastifyInstance, context: RelayRouteParts): void {
  const { concurrent } = context.limits.publisher;
  const admission = createAdmission('publisher', { concurrent, buffered: concurrent + maxWaiting });

  function offered(): UploadRelay {
    if (context.uploadRelay === undefined) throw relayNotOffered();
    return context.uploadRelay;
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/v1/tip-config',
    handler: async (_request, reply) => replyJson(reply, JSON.stringify(tipConfig(offered().tip))),
  });

  app.route({
    method: 'POST',
    url: '/v1/blob-upload-relay',
    onRequest: [admission, ignoreContentType],
    handler: async (request, reply) => {
      const relay = offered();
      const query = parseRelayQuery(request.url);
      return replyJson(reply, JSON.stringify(await relayUpload(context, relay, query, request.raw)));
    },
  });
}
