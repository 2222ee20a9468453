import { normalizeAddress } from '@memrelay/protocol/address';
import type { FastifyError, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { PolicyChain } from '../chain/policy.ts';
import { type DecryptionKeys, fetchKey } from './fetch-key.ts';
import { KeyServerError } from './key-server-error.ts';
import { proofOfPossession } from './master-key.ts';
import { objectIdBytes } from './registration.ts';
import { checkSdkHeaders } from './sdk-version.ts';

/** The release of Seal's key server that this code follows. The SDK requires 0.4.1 or later. */
export const keyServerVersion = '0.6.10';

/** Enough for a transaction of 128 KiB in base64, as in the real server */
const maxRequestBytes = 180 * 1024;

const responseHeaders = {
  'x-keyserver-version': keyServerVersion,
  'x-keyserver-gitversion': 'memrelay-localnet',
  'access-control-expose-headers': 'X-KeyServer-Version, X-KeyServer-GitVersion',
};

/** The handlers of the two paths of Seal's protocol. */
export interface SealEndpoint {
  /** Response of `GET /v1/service`. Throws `KeyServerError` */
  service(serviceId: unknown): object;
  /** Response of `POST /v1/fetch_key`. Throws `KeyServerError` */
  fetchKey(request: FastifyRequest): Promise<DecryptionKeys>;
}

/** An independent key server, which proves that it has the key registered for `objectId`. */
export function independentServer(server: {
  masterKey: bigint;
  objectId: string;
  policy: PolicyChain;
  now: () => number;
}): SealEndpoint {
  // Not before the first request, because it would delay the start by some 30 ms
  let pop: string | undefined;
  return {
    service: (serviceId) => {
      if (typeof serviceId !== 'string' || normalizeAddress(serviceId) !== server.objectId) {
        throw new KeyServerError('InvalidServiceId', 'Invalid service ID');
      }
      pop ??= Buffer.from(proofOfPossession(server.masterKey, objectIdBytes(server.objectId))).toString(
        'base64',
      );
      return { service_id: server.objectId, pop };
    },
    fetchKey: ({ body }) => fetchKey(body, server),
  };
}

/** The HTTP routes of a key server, a member or an aggregator, to be registered under a separate prefix. */
export function sealRoutes(endpoint: SealEndpoint): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(responseHeaders);
      if (request.method !== 'OPTIONS' && !request.is404) checkSdkHeaders(request.headers);
    });
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      const known =
        error instanceof KeyServerError ? error : fromFrameworkError(error, () => request.log.error(error));
      return reply.code(known.status).send({ error: known.error, message: known.message });
    });
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ error: 'NotFound', message: 'Not found' }),
    );

    app.options('/*', (_request, reply) =>
      reply
        .headers({ 'access-control-allow-methods': 'GET, POST', 'access-control-allow-headers': '*' })
        .send(),
    );
    app.get<{ Querystring: { service_id?: unknown } }>('/v1/service', async ({ query }) =>
      endpoint.service(query.service_id),
    );
    app.post('/v1/fetch_key', { bodyLimit: maxRequestBytes }, (request) => endpoint.fetchKey(request));
  };
}

interface Refusal {
  status: number;
  error: string;
  message: string;
}

/**
 * Errors such as a body that is too large, a wrong media type or invalid JSON keep their status. All others are
 * internal and are logged.
 */
function fromFrameworkError(error: FastifyError, log: () => void): Refusal {
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return { status, error: 'MalformedRequest', message: error.message };
  log();
  return new KeyServerError('Failure', 'Internal server error, please try again later');
}
