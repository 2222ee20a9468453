import { Readable } from 'node:stream';
import { type FrontPage, frontPageFor } from '@memrelay/process/front-page';
import { normalizeAddress } from '@memrelay/protocol/address';
import { createHostRules } from '@memrelay/protocol/host-rules';
import { pageAccess } from '@memrelay/protocol/page-access';
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

/**
 * Maximum size of a request in bytes. A transaction has at most 128 KiB; the rest is for base64 and batches of
 * reads.
 */
const maxRequestBytes = 1024 * 1024;

const corsHeaders = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': '*, authorization',
  'access-control-expose-headers': 'grpc-status, grpc-message, x-keyserver-version, x-keyserver-gitversion',
  'access-control-max-age': '86400',
};

const frontPage: FrontPage = {
  title: 'memrelay local network',
  about: [
    'This is the embedded chain of a local system: a Sui full node, Walrus objects, key servers and a faucet, on this machine only. Programs call it with the Sui SDK (gRPC and JSON-RPC).',
    'To see your memories and keys, open the dashboard: `npx memrelay pair` prints a link.',
  ],
  links: [
    { href: '/info', text: 'Ids and addresses of this network' },
    { href: '/live', text: 'Status' },
  ],
};

export interface ServerOptions {
  /** Called only after the server listens, when the URL is known */
  baseUrl: () => string;
  logger: Logger;
  /** Origins whose pages may do more than GET; any if undefined, as with a public full node */
  allowedOrigins?: readonly string[] | undefined;
}

/** All HTTP routes of the network. */
export function createServer(
  network: Network,
  { baseUrl, logger, allowedOrigins }: ServerOptions,
): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = logger;
  const logController = new LogController({ disableRequestLogging: true });
  const app = fastify({ loggerInstance, logController, bodyLimit: maxRequestBytes });
  const hosts = createHostRules({ isLoopback: true });
  app.addHook('onRequest', async (request, reply) => {
    const verdict = hosts.check(request.raw);
    if (verdict === 'malformed')
      return reply
        .code(400)
        .send({ error: 'invalid_request', message: 'a request must have exactly one Host header' });
    if (verdict === 'refused')
      return refuse(
        reply,
        'host_not_allowed',
        'the localnet only accepts the hosts localhost, 127.0.0.1 and [::1]',
      );
    const { refused, allowOrigin } = pageAccess(request, allowedOrigins);
    if (allowedOrigins) reply.header('vary', 'origin');
    if (refused)
      return refuse(reply, 'foreign_origin', 'pages from this origin may not do this; see ALLOWED_ORIGINS');
    if (allowOrigin) reply.headers({ ...corsHeaders, 'access-control-allow-origin': allowOrigin });
  });
  app.options('/*', (_request, reply) => reply.code(204).send());
  app.get('/info', () => network.info(baseUrl()));
  app.get('/live', () => ({ status: 'ok' }));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if ((error.statusCode ?? 500) >= 500) request.log.error({ err: error }, 'a request failed');
    return replyError(error, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const front = frontPageFor(request, frontPage);
    if (front) return reply.headers(front.headers).send(front.body);
    return reply.code(404).send({ error: 'not_found', message: 'this path does not exist' });
  });
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

function refuse(reply: FastifyReply, error: string, message: string): FastifyReply {
  return reply.code(403).send({ error, message });
}

/** Requests that Fastify rejects get its status. Details of internal errors are not sent to the client. */
function replyError({ statusCode = 500, message }: FastifyError, reply: FastifyReply): FastifyReply {
  if (statusCode >= 500)
    return reply.code(500).send({ error: 'internal_error', message: 'internal error; see the server log' });
  const error = statusCode === 413 ? 'payload_too_large' : 'invalid_request';
  return reply.code(statusCode).send({ error, message });
}

function mountFaucet(app: FastifyInstance, { faucet }: Network): void {
  app.post('/faucet', async (request, reply) => {
    const recipient = (request.body as { recipient?: unknown } | null)?.recipient;
    if (!isAddress(recipient)) {
      return reply.code(400).send({ error: 'invalid_request', message: 'recipient must be an address' });
    }
    const digest = await faucet.give(normalizeAddress(recipient));
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
