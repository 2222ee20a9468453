import { toolPaths } from '@memrelay/protocol/tool-server';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ToolHeaders } from './tool-world.ts';

/** The transports over which the official client can reach a tool server. */
export type Way = 'streamable' | 'sse' | 'sessionless';

const sessionless = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

export async function connectClient(url: string, headers: ToolHeaders, way: Way = 'streamable') {
  const options = { requestInit: { headers } };
  const transport =
    way === 'sse'
      ? new SSEClientTransport(new URL(url + toolPaths.sse), options)
      : new StreamableHTTPClientTransport(new URL(url + toolPaths.mcp), options);
  const client = new Client({ name: 'test', version: '1.0.0' }, way === 'sessionless' ? sessionless : {});
  await client.connect(transport);
  return {
    client,
    transport,
    /** The text of a tool's result */
    async call(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<string> {
      const result = await client.callTool({ name, arguments: args }, signal ? { signal } : {});
      return (result.content[0] as { text: string }).text;
    },
    close: () => client.close(),
  };
}

export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
};

/** A raw POST with the headers of a host. */
export function post(
  url: string,
  headers: ToolHeaders,
  message: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    ...(signal ? { signal } : {}),
  });
}

/** Initializes a session with a raw request. Returns the headers for its next requests. */
export async function openSession(url: string, headers: ToolHeaders): Promise<ToolHeaders> {
  const answer = await post(url + toolPaths.mcp, headers, initialize);
  await answer.text();
  if (answer.status !== 200) throw new Error(`initialize failed with status ${answer.status}`);
  return { ...headers, 'mcp-session-id': answer.headers.get('mcp-session-id')! };
}

/** Reads an event stream until `enough` returns true, then aborts it. Returns the text. */
export async function readEvents(answer: Response, enough: (text: string) => boolean): Promise<string> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    if (enough(text)) {
      await reader.cancel();
      return text;
    }
  }
}
