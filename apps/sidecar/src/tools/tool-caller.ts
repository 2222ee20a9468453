import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { McpServer } from '@modelcontextprotocol/server';
import type { ToolCredential } from './credential.ts';

/** Who sent a tool request. */
export interface ToolCaller {
  credential: ToolCredential;
  /** Address block of the client */
  address: string;
  /** `x-mem-namespace`: of calls that name none */
  namespace: string | undefined;
}

/** What a tool server is made for: a session, or one request of the sessionless revision. */
export interface ToolScope {
  /** The client whose key signs a call under way. Throws outside of one */
  client: () => MemRelay;
  namespace: string | undefined;
}

/** Makes the MCP server of one session or sessionless request. */
export type ToolServerFactory = (scope: ToolScope) => McpServer;
