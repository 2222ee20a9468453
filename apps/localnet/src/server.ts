import { Readable } from 'node:stream';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { adminRoutes } from './admin-routes.ts';
import { faucetGift } from './genesis/faucet.ts';
import type { Network } from './network.ts';
import { isAddress } from './rpc/addresses.ts';
import { createGrpcWebHandler } from './rpc/grpc-web.ts';
import { answerJsonRpc, jsonRpcParseError } from './rpc/json-rpc.ts';
import { createRoutes } from './rpc/services.ts';
import { sponsorPath, sponsorRoutes } from './sponsor/routes.ts';
import { storageNodeRoutes } from './storage-node-routes.ts';

/** Largest request: a transaction is at most 128 KiB, and there is room for base64 and a batch of reads. */
const maxRequestBytes = 1024 * 1024;

/** A localnet holds nothing of worth, so any page may use it, as any page may use a public full node. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': '*, authorization',
  'access-control-expose-headers': 'grpc-status, grpc-message, x-keyserver-version, x-keyserver-gitversion',
  'access-control-max-age': '86400',
};

/** Everything the network answers over HTTP. `baseUrl` is asked for when it is known, after listening. */
export function createServer(network: Network, baseUrl: () => string, logger: Logger): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = logger;
  const logController = new LogController({ disableRequestLogging: true });
  const app = fastify({ loggerInstance, logController, bodyLimit: maxRequestBytes });
  app.addHook('onRequest', async (_request, reply) => void reply.headers(corsHeaders));
  app.options('/*', (_request, reply) => reply.code(204).send());
  app.get('/info', () => network.info(baseUrl()));
  app.get('/live', () => ({ status: 'ok' }));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if ((error.statusCode ?? 500) >= 500) request.log.error({ err: error }, 'a request failed');
    return replyError(error, reply);
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: 'not_found', message: 'there is nothing at this path' }),
  );
  app.post('/', {
    handler: (request) => answerJsonRpc(network.chain, request.body),
    errorHandler: (error, _request, reply) =>
      error.statusCode === 400 ? reply.code(200).send(jsonRpcParseError()) : replyError(error, reply),
  });
  mountFaucet(app, network);
  app.register(adminRoutes(network), { prefix: '/admin' });
  app.register(
    storageNodeRoutes(network, () => network.info(baseUrl()).chainId),
    {
      prefix: '/storage-nodes',
    },
  );
  mountGrpcWeb(app, network, logger);
  app.register(network.keyServers.plugin);
  app.register(sponsorRoutes(network.sponsor, network.sponsorApiKey), { prefix: sponsorPath });
  return app;
}

/** What Fastify refuses keeps its status; of a failure inside nothing is told. */
function replyError({ statusCode = 500, message }: FastifyError, reply: FastifyReply): FastifyReply {
  if (statusCode >= 500)
    return reply.code(500).send({ error: 'internal_error', message: 'the request failed, see the log' });
  const error = statusCode === 413 ? 'payload_too_large' : 'invalid_request';
  return reply.code(statusCode).send({ error, message });
}

function mountFaucet(app: FastifyInstance, { faucet }: Network): void {
  app.post('/faucet', async (request, reply) => {
    const recipient = (request.body as { recipient?: unknown } | null)?.recipient;
    if (!isAddress(recipient)) {
      return reply.code(400).send({ error: 'invalid_request', message: 'recipient must be an address' });
    }
    const digest = await faucet.give(normalizeSuiAddress(recipient));
    return { digest, sui: faucetGift.sui.toString(), wal: faucetGift.wal.toString() };
  });
}

function mountGrpcWeb(app: FastifyInstance, network: Network, logger: Logger): void {
  const handle = createGrpcWebHandler(createRoutes(network.chain, network.ids.walType), (error) =>
    logger.error({ err: error }, 'a gRPC call failed'),
  );
  app.addContentTypeParser(/^application\/grpc-web/, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post<{ Params: { service: string; method: string } }>('/:service/:method', (request, reply) => {
    const { service, method } = request.params;
    const contentType = request.headers['content-type'] ?? '';
    if (!contentType.startsWith('application/grpc-web')) return reply.callNotFound();
    const gone = new AbortController();
    reply.raw.on('close', () => gone.abort());
    const answer = handle({
      path: `/${service}/${method}`,
      contentType,
      body: request.body as Buffer,
      signal: gone.signal,
    });
    return reply
      .header('content-type', answer.contentType)
      .send(Readable.from(answer.chunks, { objectMode: false }));
  });
}
