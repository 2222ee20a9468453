import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { rpcCodes } from '@memrelay/protocol/tool-server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { openSession, type ToolHost } from './open-session.ts';
import { RpcRefusal } from './rpc-refusal.ts';
import type { ToolCaller } from './tool-caller.ts';
import type { ToolSession } from './tool-session.ts';

/** How long a client should wait before it resumes a broken stream, in milliseconds. Sent with every stream. */
const retryMs = 1_000;

/** Handles a request and writes its response. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface StreamableSessions {
  /**
   * Finds or opens the session for a request of the 2025 revisions, and returns its handler. Throws `RpcRefusal`: 400, 403,
   * 404, 429.
   */
  route(request: IncomingMessage, body: unknown, caller: ToolCaller): Promise<Serve>;
}

export function createStreamableSessions(host: ToolHost): StreamableSessions {
  const transports = new WeakMap<ToolSession, NodeStreamableHTTPServerTransport>();

  function serve(session: ToolSession, caller: ToolCaller, body: unknown): Serve {
    const transport = transports.get(session)!;
    return async (request, response) => {
      // A stream from server to client signs nothing
      session.answers(response, request.method === 'POST' ? caller.credential : undefined);
      await transport.handleRequest(request, response, body);
      // The request did not open a session after all, e.g. because of its Accept header
      if (transport.sessionId === undefined) session.close();
    };
  }

  async function open(caller: ToolCaller, body: unknown): Promise<Serve> {
    const id = randomUUID();
    const opened = openSession(host, caller, id, 'streamable');
    const events = host.events.forSession(id);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: events,
      retryInterval: retryMs,
    });
    transports.set(opened.session, transport);
    await opened.connect(transport).catch((error: unknown) => {
      opened.session.close();
      throw error;
    });
    const { onclose } = opened.server.server;
    opened.server.server.onclose = () => {
      events.clear();
      onclose?.();
    };
    return serve(opened.session, caller, body);
  }

  return {
    async route(request, body, caller) {
      const id = request.headers['mcp-session-id'];
      if (typeof id === 'string')
        return serve(host.sessions.get(id, 'streamable', caller.credential), caller, body);
      if (request.method === 'POST' && isInitializeRequest(body)) return open(caller, body);
      throw new RpcRefusal(400, rpcCodes.server, 'Mcp-Session-Id is missing: initialise a session first.');
    },
  };
}
