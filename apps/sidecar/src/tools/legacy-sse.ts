import type { IncomingMessage, ServerResponse } from 'node:http';
import { rpcCodes, toolPaths } from '@memrelay/protocol/tool-server';
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { SSEServerTransport } from '@modelcontextprotocol/server-legacy/sse';
import { openSession, type ToolHost } from './open-session.ts';
import { sessionNotFound } from './rpc-refusal.ts';
import type { Serve } from './streamable.ts';
import type { ToolCaller } from './tool-caller.ts';
import type { ToolSession } from './tool-session.ts';
import { whenClosed } from './when-closed.ts';

/** Interval of keep-alive comments in milliseconds. Proxies close idle connections, often after a minute. */
const keepAliveMs = 15_000;
/** Limit of unread data for a client that does not read its stream; slightly more than the largest response. */
const maxUnreadBytes = 16 * 1024 * 1024;

export interface LegacySessions {
  /** Opens a session whose stream is the response. Throws `RpcRefusal` 429. */
  open(caller: ToolCaller, response: ServerResponse): () => Promise<void>;
  /**
   * Returns a handler for a message of a session. Throws `RpcRefusal`: 403, 404. A client that does not read earlier responses
   * loses the session.
   */
  route(request: IncomingMessage, body: unknown, caller: ToolCaller): Serve;
  /** Whether a message belongs to an open session. */
  isOpen(request: IncomingMessage): boolean;
  /**
   * Rejects the calls in a message without a credential. Sends the errors on the session's stream, because some
   * stdio bridges authenticate only the stream and never read the response to their POST.
   */
  refuse(request: IncomingMessage, body: unknown, reason: string): Promise<void>;
}

export function createLegacySessions(host: ToolHost): LegacySessions {
  const streams = new WeakMap<ToolSession, { transport: SSEServerTransport; response: ServerResponse }>();
  const openSessionOf = (request: IncomingMessage): ToolSession | undefined => {
    const id = sessionIdOf(request);
    return id === null ? undefined : host.sessions.find(id, 'sse');
  };
  return {
    open(caller, response) {
      const transport = new SSEServerTransport(toolPaths.messages, response);
      const { session, connect } = openSession(host, caller, transport.sessionId, 'sse');
      streams.set(session, { transport, response });
      return async () => {
        session.answers(response);
        const keepAlive = setInterval(() => response.write(': keepalive\n\n'), keepAliveMs);
        whenClosed(response, () => clearInterval(keepAlive));
        // Stops proxies from buffering responses
        response.setHeader('x-accel-buffering', 'no');
        await connect(transport);
      };
    },
    route(request, body, caller) {
      const id = sessionIdOf(request);
      if (id === null) throw sessionNotFound();
      const session = host.sessions.get(id, 'sse', caller.credential);
      const stream = streams.get(session)!;
      if (stream.response.writableLength > maxUnreadBytes) {
        stream.response.destroy();
        throw sessionNotFound();
      }
      return async (raw, response) => {
        session.answers(response, caller.credential);
        await stream.transport.handlePostMessage(raw, response, body ?? null);
      };
    },
    isOpen: (request) => openSessionOf(request) !== undefined,
    async refuse(request, body, reason) {
      const session = openSessionOf(request);
      const stream = session && streams.get(session);
      if (!stream || stream.response.writableLength > maxUnreadBytes) return;
      const error = {
        code: rpcCodes.unauthenticated,
        message: reason,
        data: { reason: 'missing_auth_header' },
      };
      for (const message of Array.isArray(body) ? body : [body])
        if (isJSONRPCRequest(message)) await stream.transport.send({ jsonrpc: '2.0', id: message.id, error });
    },
  };
}

function sessionIdOf(request: IncomingMessage): string | null {
  return new URL(request.url!, 'http://localhost').searchParams.get('sessionId');
}
