import { toolBodyBytes } from '@memrelay/protocol/tool-server';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { CallClient } from './call-client.ts';
import type { ToolHost } from './open-session.ts';
import type { Serve } from './streamable.ts';
import type { ToolCaller, ToolScope } from './tool-caller.ts';
import { whenClosed } from './when-closed.ts';

/** A request that is in progress. */
export interface OpenRequest {
  accountId: string;
  publicKey: string;
  /** Aborts its response */
  close(): void;
}

export interface SessionlessRequests {
  /** Returns a handler for a request of the revision without sessions. Throws `RpcRefusal` 429. */
  route(body: unknown, caller: ToolCaller): Serve;
  ofAccount(accountId: string): OpenRequest[];
  /** Ends the open streams */
  close(): Promise<void>;
}

/** Requests of revision 2026-07-28: each has its own tool server, and counts as a session while it is answered. */
export function createSessionlessRequests(host: ToolHost): SessionlessRequests {
  const handler = createMcpHandler(({ authInfo }) => host.makeServer(authInfo!.extra!.scope as ToolScope), {
    legacy: 'reject',
    // Stream from the start, so that comments keep a long call alive
    responseMode: 'sse',
    maxRequestBodySize: toolBodyBytes,
  });
  const open = new Set<OpenRequest>();
  const serve = toNodeHandler(handler, { maxRequestBodySize: toolBodyBytes });
  return {
    route(body, { credential, address, namespace }) {
      const release = host.sessions.places.take(address, 'request');
      return async (request, response) => {
        const client = new CallClient(host.clientMaker(credential));
        // A notification stream may last for hours and signs nothing
        const done = isSubscription(body) ? () => undefined : client.hold(credential.delegateKey);
        const { accountId, publicKey } = credential;
        const answer = { accountId, publicKey, close: () => void response.destroy() };
        open.add(answer);
        whenClosed(response, () => {
          open.delete(answer);
          done();
          release();
        });
        const scope: ToolScope = { client: () => client.get(), namespace };
        const auth = { token: '', clientId: accountId, scopes: [], extra: { scope } };
        await serve(Object.assign(request, { auth }) as NodeIncomingMessageLike, response, body);
      };
    },
    ofAccount: (accountId) => [...open].filter((answer) => answer.accountId === accountId),
    close: () => handler.close(),
  };
}

function isSubscription(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === 'subscriptions/listen';
}
