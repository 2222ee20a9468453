import { headers } from '@memrelay/protocol/headers';
import { rpcCodes, rpcErrorBody, toolBodyBytes, toolPaths } from '@memrelay/protocol/tool-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { sha256 } from '../../base/sha256.ts';
import { createAddressLimit } from '../auth/address-limit.ts';
import { refuseEncoded, refuseRepeated } from '../auth/auth-headers.ts';
import { addressBlock, clientAddress } from '../auth/client-address.ts';
import { checkContentLength } from '../auth/request-body.ts';
import { reportError } from '../http/error-replies.ts';
import { isForeignPage } from '../http/foreign-page.ts';
import { bodyLimitOf, route } from '../http/route.ts';
import type { ReadBearer } from '../oauth/access-tokens.ts';
import { clientGone, type ToolRelay } from '../tools/tool-relay.ts';

export interface ToolRouteOptions {
  relay: ToolRelay;
  /** Origins whose pages may call; the MCP specification requires this check (basic/transports, "Security Warning") */
  allowedOrigins: readonly string[];
  trustedProxyHops: number;
  log: Logger;
  /** Set when clients can sign in with a browser */
  oauth?: { readBearer: ReadBearer; metadataUrl: string } | undefined;
  /** Refused and unfinished requests allowed per minute and address block; default 600, as for signed routes */
  failuresPerMinute?: number;
}

const foreignPage =
  'Web pages of this origin may not call the tool server. The operator can add the origin to ALLOWED_ORIGINS.';

/** Headers that identify the caller: if sent twice, one reader may take the first and another the second. */
const single: ReadonlySet<string> = new Set(['authorization', headers.memAccountId, headers.memNamespace]);

/**
 * The tool server's routes (spec, "Tool-server transport routes"). Requests are passed to the sidecar, except those
 * that can be refused here without it, with JSON-RPC errors.
 */
export async function toolRoutes(app: FastifyInstance, options: ToolRouteOptions): Promise<void> {
  const { relay, log, oauth, allowedOrigins, trustedProxyHops, failuresPerMinute } = options;
  const failures = createAddressLimit({ failuresPerMinute });
  app.addHook('preClose', async () => relay.endStreams());
  app.setErrorHandler((error: Error, request, reply) => {
    const known = reportError(log, error, request);
    if (known.retryAfter !== undefined) reply.header('retry-after', String(known.retryAfter));
    if (known.status === 401 && oauth)
      reply.header(
        'www-authenticate',
        `Bearer realm="memrelay", error="invalid_token", resource_metadata="${oauth.metadataUrl}"`,
      );
    return reply
      .code(known.status)
      .send(rpcErrorBody(rpcCodes.server, known.message, known.code, request.id));
  });

  async function pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (isForeignPage(request.raw, allowedOrigins)) {
      await reply.code(403).send(rpcErrorBody(rpcCodes.server, foreignPage, 'foreign_site', request.id));
      return;
    }
    const address = addressBlock(clientAddress(request.raw, trustedProxyHops));
    const { authorization } = request.headers;
    // Unlike a public key, a bearer token is secret, so no one else can send a known one
    const known =
      authorization === undefined ? undefined : sha256(Buffer.from(authorization)).toString('hex');
    const admission = failures.take(address, known);
    refuseRepeated(request.raw.rawHeaders, single);
    refuseEncoded(request.raw);
    checkContentLength(request.raw, bodyLimitOf(request));
    // An invalid token counts like any other refusal
    const bearer = await oauth?.readBearer(request.headers.authorization);
    const passing = { clientAddress: address, bearer, metadataUrl: oauth?.metadataUrl };
    const status = await relay.relay(request, reply, passing).catch((error: unknown) => {
      admission.giveBack();
      throw error;
    });
    // A client that disconnected early may have been refused, and cost as much
    if (status === 401 || status === 403 || status === clientGone) return;
    if (status < 400) admission.succeed();
    else admission.giveBack();
  }

  const tools = route({ auth: 'bearer', bodyBytes: toolBodyBytes });
  const noHead = { ...tools, exposeHeadRoute: false };
  app.get(toolPaths.mcp, noHead, pass);
  app.post(toolPaths.mcp, tools, pass);
  app.delete(toolPaths.mcp, tools, pass);
  app.get(toolPaths.sse, noHead, pass);
  app.post(toolPaths.messages, tools, pass);
}
