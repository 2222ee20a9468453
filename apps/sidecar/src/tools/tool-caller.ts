import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { McpServer } from '@modelcontextprotocol/server';
import type { ToolCredential } from './credential.ts';

/** The sender of a tool request. */
export interface ToolCaller {
  credential: ToolCredential;
  /** Address block of the client */
  address: string;
  /** `x-mem-namespace`: the default namespace of calls */
  namespace: string | undefined;
}

/** The context of a tool server: a session, or one request of the sessionless revision. */
export interface ToolScope {
  /** The client whose key signs the running call. Throws outside of a call */
  client: () => MemRelay;
  namespace: string | undefined;
}

/** Creates the MCP server of one session or sessionless request. */
export type ToolServerFactory = (scope: ToolScope) => McpServer;
