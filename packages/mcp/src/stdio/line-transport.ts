import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { withOurToolNames } from '../tools/original-names.ts';

/** Longer than any tool call: texts have at most 1 MiB, which JSON escapes can make six times larger. */
const maxLineCharacters = 10 * 1024 * 1024;
/** How long to wait for pending responses after the host closed its end, milliseconds. */
const drainMs = 5_000;

/**
 * JSON-RPC over two streams, one message per line. Unlike the SDK's transport it responds to a line that is not JSON
 * (-32700) or not a message (-32600), and when the input ends it first sends the pending responses. `onEnd` is called once,
 * when either side closes.
 */
export function lineTransport(input: Readable, output: Writable, onEnd: () => void): Transport {
  const decoder = new StringDecoder('utf8');
  const unanswered = new Set<string | number>();
  let line = '';
  let tooLong = false;
  let ended = false;
  let closed = false;

  const write = (message: unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const refuse = ({ code, message, id }: Refused): void => {
    write({ jsonrpc: '2.0', id, error: { code, message } }).catch((error) => transport.onerror?.(error));
  };
  const take = (text: string): void => {
    if (text.trim() === '') return;
    const read = withOurToolNames(readMessage(text));
    if ('code' in read) {
      refuse(read);
      return;
    }
    if (isJSONRPCRequest(read)) unanswered.add(read.id);
    const cancelled = cancelledId(read);
    if (cancelled !== undefined) unanswered.delete(cancelled);
    transport.onmessage?.(read);
  };
  const read = (chunk: Buffer | string): void => {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        if (!tooLong) take(line);
        line = '';
        tooLong = false;
      }
      line += part;
      if (line.length <= maxLineCharacters) continue;
      if (!tooLong) refuse({ code: -32600, message: 'Invalid Request: the line is too long', id: null });
      tooLong = true;
      line = '';
    }
  };
  const end = (): void => {
    if (ended) return;
    ended = true;
    if (!tooLong) take(line);
    if (unanswered.size === 0) void transport.close();
    else setTimeout(() => void transport.close(), drainMs).unref();
  };
  const fail = (error: Error): void => {
    transport.onerror?.(error);
    void transport.close();
  };

  const transport: Transport = {
    async start() {
      input.on('data', read).on('end', end).on('close', end).on('error', fail);
      output.on('error', fail);
    },
    async send(message) {
      if (closed) throw new Error('The connection is closed');
      await write(message);
      if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
      if (message.id !== undefined) unanswered.delete(message.id);
      if (ended && unanswered.size === 0) await transport.close();
    },
    async close() {
      if (closed) return;
      closed = true;
      input.off('data', read).pause();
      transport.onclose?.();
      onEnd();
    },
  };
  return transport;
}

interface Refused {
  code: number;
  message: string;
  id: string | number | null;
}

function readMessage(text: string): JSONRPCMessage | Refused {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: -32700, message: 'Parse error: the line is not JSON', id: null };
  }
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return { code: -32600, message: 'Invalid Request: not a JSON-RPC 2.0 message', id: idOf(value) };
  }
}

function idOf(value: unknown): string | number | null {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** A cancelled request gets no response. */
function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
