import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createToolServer } from '../../src/tools/create-tool-server.ts';
import type { ToolServerOptions } from '../../src/tools/tool-server-options.ts';

/** A tool's result in the form that tests compare. */
export interface Answered {
  text: string;
  structured: Record<string, unknown> | undefined;
  isError: boolean;
}

/** The official client in a session with the tools, connected in memory without a network. */
export interface Session {
  client: Client;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Answered>;
  close(): Promise<void>;
}
type CallOptions = Parameters<Client['callTool']>[1];

export async function openSession(options: ToolServerOptions): Promise<Session> {
  const [ofServer, ofClient] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await createToolServer(options).connect(ofServer);
  await client.connect(ofClient);
  // The client validates structured content only for tools that it has listed before
  await client.listTools();
  return { client, call: (...call) => callTool(client, ...call), close: () => client.close() };
}

export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options?: CallOptions,
): Promise<Answered> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args }, options);
  const [block] = content;
  if (content.length !== 1 || block?.type !== 'text') throw new Error('not one block of text');
  return {
    text: block.text,
    structured: structuredContent as Answered['structured'],
    isError: isError === true,
  };
}
