import { namespaceField } from '@memrelay/protocol/fields';
import { headers } from '@memrelay/protocol/headers';
import {
  relayedHeaders,
  rpcCodes,
  rpcErrorBody,
  toolBodyBytes,
  toolPaths,
} from '@memrelay/protocol/tool-server';
import { classifyInboundRequest, type InboundClassificationOutcome } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toolNameOf, withOurToolNames } from 'memrelay-mcp/tools/original-names';
import type { Logger } from 'pino';
import { type CheckCredential, missingCredential } from './credential.ts';
import type { LegacySessions } from './legacy-sse.ts';
import { asRpcRefusal, RpcRefusal, sendRefusal } from './rpc-refusal.ts';
import type { SessionlessRequests } from './sessionless.ts';
import type { Serve, StreamableSessions } from './streamable.ts';
import type { ToolCaller } from './tool-caller.ts';

export interface ToolRouteOptions {
  /** Throws unless the request comes from the relayer */
  requireRelayer: (request: FastifyRequest) => Promise<void>;
  checkCredential: CheckCredential;
  streamable: StreamableSessions;
  sessionless: SessionlessRequests;
  legacy: LegacySessions;
  log: Logger;
}

/** The tool server's routes. Credentials are checked before a body is read; errors are JSON-RPC errors. */
export function toolRoutes(app: FastifyInstance, options: ToolRouteOptions): void {
  const { streamable, sessionless, legacy, log } = options;
  const callers = new WeakMap<FastifyRequest, ToolCaller>();
  const callerOf = (request: FastifyRequest): ToolCaller => callers.get(request)!;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: toolBodyBytes }, (request, text, done) => {
    // Some hosts send a content type without a body
    if (request.method === 'DELETE') return done(null, undefined);
    try {
      done(null, withOurToolNames(JSON.parse(text as string)));
    } catch {
      // The parser's message is omitted, because it quotes the text
      done(new RpcRefusal(400, rpcCodes.parse, 'Parse error: the body is not JSON.'));
    }
  });
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = asRpcRefusal(error);
    if (refusal) return sendRefusal(reply, refusal);
    log.error({ err: error, route: request.routeOptions.url }, 'tool request failed');
    return reply.code(500).send(rpcErrorBody(rpcCodes.forbidden, 'Internal server error.'));
  });
  app.addHook('onRequest', options.requireRelayer);
  app.addHook('onRequest', async (request) => {
    const tool = headerOf(request, 'mcp-name');
    if (tool !== undefined) request.raw.headers['mcp-name'] = toolNameOf(tool);
    // Continue, so that the calls are rejected on the stream where the client listens
    if (isWithoutCredential(request) && legacy.isOpen(request.raw)) return;
    const credential = await options.checkCredential({
      authorization: request.headers.authorization,
      accountId: headerOf(request, headers.memAccountId),
    });
    const address = headerOf(request, relayedHeaders.clientAddress) ?? 'unknown';
    callers.set(request, { credential, address, namespace: namespaceOf(request) });
  });

  // A client that disconnected during the chain read must not open a session
  app.addHook('preHandler', async (_request, reply) => {
    if (reply.raw.closed) return reply.hijack();
  });

  app.get(toolPaths.mcp, { exposeHeadRoute: false }, async (request, reply) =>
    answer(request, reply, await streamable.route(request.raw, undefined, callerOf(request))),
  );
  app.delete(toolPaths.mcp, async (request, reply) =>
    answer(request, reply, await streamable.route(request.raw, undefined, callerOf(request))),
  );
  app.post(toolPaths.mcp, async (request, reply) => {
    const caller = callerOf(request);
    const serve =
      revisionOf(request) === 'legacy'
        ? await streamable.route(request.raw, request.body, caller)
        : sessionless.route(request.body, caller);
    return answer(request, reply, serve);
  });
  app.get(toolPaths.sse, { exposeHeadRoute: false }, async (request, reply) =>
    answer(request, reply, legacy.open(callerOf(request), reply.raw)),
  );
  app.post(toolPaths.messages, async (request, reply) => {
    if (isWithoutCredential(request)) {
      const refusal = missingCredential();
      await legacy.refuse(request.raw, request.body, refusal.message);
      throw refusal;
    }
    return answer(request, reply, legacy.route(request.raw, request.body, callerOf(request)));
  });

  /** Lets the transport write the response. */
  async function answer(request: FastifyRequest, reply: FastifyReply, serve: Serve): Promise<void> {
    reply.hijack();
    try {
      await serve(request.raw, reply.raw);
    } catch (error) {
      log.error({ err: error, route: request.routeOptions.url }, 'tool transport failed');
      reply.raw.destroy();
    }
  }
}

/** A message for a legacy session without `Authorization`. */
function isWithoutCredential(request: FastifyRequest): boolean {
  return request.routeOptions.url === toolPaths.messages && request.headers.authorization === undefined;
}

/** `legacy`: a revision with sessions. Malformed requests go to the other kind, which reports the problem. */
function revisionOf(request: FastifyRequest): InboundClassificationOutcome['kind'] {
  const protocolVersionHeader = headerOf(request, 'mcp-protocol-version');
  const inbound = { httpMethod: 'POST', body: request.body };
  return classifyInboundRequest(
    protocolVersionHeader === undefined ? inbound : { ...inbound, protocolVersionHeader },
  ).kind;
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Header values arrive as raw bytes; names beyond ASCII are UTF-8. Throws `RpcRefusal` 400. */
function namespaceOf(request: FastifyRequest): string | undefined {
  const sent = headerOf(request, headers.memNamespace);
  if (sent === undefined || sent.trim() === '') return undefined;
  const namespace = namespaceField.safeParse(Buffer.from(sent, 'latin1').toString('utf8'));
  if (namespace.success) return namespace.data;
  const [issue] = namespace.error.issues;
  throw new RpcRefusal(400, rpcCodes.invalidRequest, `${headers.memNamespace} ${issue!.message}.`);
}
