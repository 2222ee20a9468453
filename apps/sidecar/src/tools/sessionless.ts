import { toolBodyBytes } from '@memrelay/protocol/tool-server';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { CallClient } from './call-client.ts';
import type { ToolHost } from './open-session.ts';
import type { Serve } from './streamable.ts';
import type { ToolCaller, ToolScope } from './tool-caller.ts';
import { whenClosed } from './when-closed.ts';

export interface SessionlessRequests {
  /** Returns what serves a request of the revision without sessions. Throws `RpcRefusal` 429. */
  route(body: unknown, caller: ToolCaller): Serve;
  /** Ends the open streams */
  close(): Promise<void>;
}

/** Requests of revision 2026-07-28: each has a tool server of its own, and counts as a session while it is answered. */
export function createSessionlessRequests(host: ToolHost): SessionlessRequests {
  const handler = createMcpHandler(({ authInfo }) => host.makeServer(authInfo!.extra!.scope as ToolScope), {
    legacy: 'reject',
    // From the start, so that a call that takes long is kept alive by comments on its stream
    responseMode: 'sse',
    maxRequestBodySize: toolBodyBytes,
  });
  const serve = toNodeHandler(handler, { maxRequestBodySize: toolBodyBytes });
  return {
    route(body, { credential, address, namespace }) {
      const release = host.sessions.places.take(address, 'request');
      return async (request, response) => {
        const client = new CallClient(host.clientMaker(credential));
        const done = client.hold(credential.delegateKey);
        whenClosed(response, () => {
          done();
          release();
        });
        const scope: ToolScope = { client: () => client.get(), namespace };
        const auth = { token: '', clientId: credential.accountId, scopes: [], extra: { scope } };
        await serve(Object.assign(request, { auth }) as NodeIncomingMessageLike, response, body);
      };
    },
    close: () => handler.close(),
  };
}
