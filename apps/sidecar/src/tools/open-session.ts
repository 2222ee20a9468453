import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { McpServer, Transport } from '@modelcontextprotocol/server';
import type { ToolCredential } from './credential.ts';
import type { EventStores } from './event-store.ts';
import type { SessionTable } from './session-table.ts';
import type { ToolCaller, ToolServerFactory } from './tool-caller.ts';
import { ToolSession } from './tool-session.ts';

/** The state that all transports share. */
export interface ToolHost {
  sessions: SessionTable;
  events: EventStores;
  makeServer: ToolServerFactory;
  /** Creates the SDK client that signs with a credential's key */
  clientMaker(credential: ToolCredential): (delegateKey: string) => MemRelay;
  /** Milliseconds of a clock that never goes back */
  now(): number;
}

/** A new session that is within the limits. */
export interface OpenedSession {
  session: ToolSession;
  server: McpServer;
  connect(transport: Transport): Promise<void>;
}

/**
 * Reserves a place for a new session of this caller and creates its tool server. Throws `RpcRefusal` 429. `session.close()`,
 * or the end of its transport, releases everything.
 */
export function openSession(
  host: ToolHost,
  caller: ToolCaller,
  id: string,
  transportKind: ToolSession['transport'],
): OpenedSession {
  const { credential, address, namespace } = caller;
  const release = host.sessions.places.take(address, 'session');
  const session = new ToolSession({
    id,
    transport: transportKind,
    credential,
    address,
    makeClient: host.clientMaker(credential),
    now: host.now,
  });
  const server = host.makeServer({ client: () => session.client.get(), namespace });
  const end = (): void => host.sessions.remove(session);
  session.close = () => {
    const refused = session.refuseCalls();
    end();
    void refused.then(() => server.close());
  };
  server.server.onclose = end;
  host.sessions.add(session, release);
  return {
    session,
    server,
    async connect(transport) {
      await server.connect(transport);
      session.follow(transport);
    },
  };
}
