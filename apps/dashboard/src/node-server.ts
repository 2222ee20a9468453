import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { createHostRules } from '@memrelay/protocol/host-rules';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { DashboardConfig } from './node-config.ts';
import type { Page, Pages } from './node-pages.ts';
import { walletRefusal } from './wallet/node-chain-refusal.ts';
import { registerWalletRoutes } from './wallet/node-wallet-routes.ts';
import { WalletRefusal } from './wallet/wallet-refusal.ts';

/** The page of each path. */
const pagePaths: Record<string, string> = {
  '/': 'home.html',
  '/memories': 'home.html',
  '/memories/ask': 'home.html',
  '/memories/facts': 'home.html',
  '/memories/transfer': 'home.html',
  '/keys': 'home.html',
  '/access': 'home.html',
  '/connect': 'home.html',
  '/connect/mcp': 'connect-mcp.html',
  '/connect/oauth': 'connect-oauth.html',
};

/**
 * Content security policy: no inline code, nothing from other origins, no framing. Apart from this server, a page may connect
 * only to ports of this machine, because the tool waits there.
 */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self' http://127.0.0.1:*",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export interface Dashboard {
  url: string;
  app: FastifyInstance;
  close(): Promise<void>;
}

/** Serves the pages and the local wallet on 127.0.0.1. Logs nothing without a logger. Throws if it cannot listen. */
export async function startDashboard(
  config: DashboardConfig,
  pages: Pages,
  logger?: Logger,
): Promise<Dashboard> {
  const loggerInstance: FastifyBaseLogger | undefined = logger;
  const app = fastify({
    ...(loggerInstance && { loggerInstance }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 16_384,
  });
  const hostRules = createHostRules({ isLoopback: true });
  const hosts = new Set<string>();
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders);
    // Blocks foreign host names that resolve to this machine (DNS rebinding); the port must match as well, for the wallet routes
    if (hostRules.check(request.raw) !== 'allowed' || !hosts.has(request.headers.host ?? ''))
      throw new WalletRefusal(403, 'wrong_host', 'The dashboard accepts requests only to its own address.');
  });
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    const known = error instanceof WalletRefusal || (error.statusCode ?? 500) >= 500;
    const { status, code, message } = known
      ? walletRefusal(error)
      : new WalletRefusal(
          error.statusCode ?? 400,
          'invalid_request',
          'The wallet rejected this request as invalid.',
        );
    if (status >= 500) request.log.warn({ err: error }, 'wallet request failed');
    return reply.code(status).send({ error: code, message });
  });
  app.setNotFoundHandler(async (request, reply) => {
    reply.code(404);
    // The application explains it to a person
    if (request.method === 'GET' && request.headers.accept?.includes('text/html'))
      return reply.type('text/html; charset=utf-8').send(pages.get('home.html')!.body);
    return reply.send({ error: 'not_found', message: 'Not found.' });
  });
  const show = (path: string, { type, body, isGzip = false }: Page): void => {
    app.get(path, async (request, reply) => {
      reply.type(type);
      if (!isGzip) return reply.send(body);
      reply.header('vary', 'accept-encoding');
      if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(gunzipSync(body));
      return reply.header('content-encoding', 'gzip').send(body);
    });
  };
  for (const [path, file] of Object.entries(pagePaths)) show(path, pages.get(file)!);
  for (const [file, page] of pages) if (!file.endsWith('.html')) show(`/${file}`, page);
  registerWalletRoutes(app, {
    startToken: config.startToken,
    wallet: async () => (await import('./wallet/node-local-wallet.ts')).createLocalWallet(config),
  });
  await app.listen({ host: '127.0.0.1', port: config.port });
  const { port } = app.server.address() as AddressInfo;
  for (const name of ['127.0.0.1', 'localhost']) hosts.add(`${name}:${port}`);
  return { url: `http://127.0.0.1:${port}`, app, close: () => app.close() };
}
