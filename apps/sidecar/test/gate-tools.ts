import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { ToolServerFactory } from '../src/tools/tool-caller.ts';

/** A call of the tool `wait` in progress. */
export interface WaitingCall {
  signal: AbortSignal;
  /** The key that currently signs for the call. Throws if there is none */
  signer(): string;
  finish(text: string): void;
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** Tools whose calls a test can block: `echo`, `who` (the signing key), `where` (the namespace), `wait`. */
export function createGateTools() {
  const waiting: WaitingCall[] = [];
  const makeServer: ToolServerFactory = ({ client, namespace }) => {
    const server = new McpServer({ name: 'gates', version: '1.0.0' });
    const inputSchema = fromJsonSchema<{ text: string }>({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    });
    server.registerTool('echo', { inputSchema }, ({ text }) => said(text));
    server.registerTool('who', {}, () => said(client().publicKey));
    server.registerTool('where', {}, () => said(namespace ?? 'nowhere'));
    server.registerTool('wait', {}, async ({ mcpReq }) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.push({ signal: mcpReq.signal, signer: () => client().publicKey, finish: resolve });
      return said(await promise);
    });
    return server;
  };
  return { makeServer, waiting };
}
