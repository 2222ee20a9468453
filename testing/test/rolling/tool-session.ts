import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestOwner } from '../../src/test-owner.ts';

/** A host that keeps a tool session open and uses it all the time. */
export interface ToolSession {
  readonly calls: number;
  /** How often it had to open a new session */
  readonly reconnects: number;
  /** Calls that failed in a session that had just been opened */
  readonly broken: readonly string[];
  stop(): Promise<void>;
}

const betweenCallsMs = 50;

/** Calls a tool again and again. When a call fails, opens a new session, in which the call must succeed. */
export async function startToolSession(url: string, owner: TestOwner): Promise<ToolSession> {
  const headers = {
    authorization: `Bearer ${owner.delegate.privateKey}`,
    'x-mem-account-id': owner.accountId,
  };
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'rolling test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', url), {
      requestInit: { headers },
    });
    await client.connect(transport);
    return client;
  };
  const call = (client: Client): Promise<unknown> =>
    client.callTool({ name: 'mem_recall', arguments: { query: 'sentence', namespace: 'drill 0' } });

  const seen = { calls: 0, reconnects: 0, broken: [] as string[] };
  let client = await connect();
  let stopping = false;
  const running = (async () => {
    while (!stopping) {
      try {
        await call(client);
        seen.calls += 1;
      } catch {
        if (stopping) return;
        seen.reconnects += 1;
        await client.close().catch(() => undefined);
        try {
          client = await connect();
          await call(client);
        } catch (error) {
          seen.broken.push((error as Error).message);
        }
      }
      await pause(betweenCallsMs);
    }
  })();
  return {
    get calls() {
      return seen.calls;
    },
    get reconnects() {
      return seen.reconnects;
    },
    get broken() {
      return seen.broken;
    },
    async stop() {
      stopping = true;
      await running;
      await client.close().catch(() => undefined);
    },
  };
}
