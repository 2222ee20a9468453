import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { pino } from 'pino';
import { createApp } from '../../src/api/http/app.ts';
import { type ToolRouteOptions, toolRoutes } from '../../src/api/routes/tool-routes.ts';
import { createToolRelay } from '../../src/api/tools/tool-relay.ts';
import { loopbackHosts } from './loopback-hosts.ts';

/** A page that may call. */
export const allowedPage = 'https://app.example';

const closers: (() => Promise<unknown>)[] = [];

export async function closeRelays(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export interface RelayInFront {
  app: FastifyInstance;
  url: string;
  logged: string[];
  sidecar: Server;
}

/** The tool routes in front of a sidecar that the test provides; `answer` handles its requests. */
export async function relayInFront(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: Pick<ToolRouteOptions, 'oauth' | 'failuresPerMinute'> & {
    trustedProxyHops?: number;
    before?: preHandlerAsyncHookHandler;
  } = {},
): Promise<RelayInFront> {
  const sidecar = createServer(answer);
  sidecar.listen(0, '127.0.0.1');
  await once(sidecar, 'listening');
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const app = createApp({ log, allowedOrigins: [allowedPage], hosts: loopbackHosts });
  if (options.before) app.addHook('preHandler', options.before);
  const relay = createToolRelay(`http://127.0.0.1:${(sidecar.address() as AddressInfo).port}`, 'the-token');
  await app.register(toolRoutes, {
    relay,
    log,
    allowedOrigins: [allowedPage],
    trustedProxyHops: 0,
    ...options,
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  closers.push(
    async () => sidecar.close(),
    async () => sidecar.closeAllConnections(),
    () => relay.close(),
    () => app.close(),
  );
  return { app, url, logged, sidecar };
}
