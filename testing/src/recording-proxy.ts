import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Marks a response whose body was replaced. */
export const changedHeader = 'x-changed-by-test';

/** One request and its response on the wire. */
export interface RecordedExchange {
  method: string;
  path: string;
  /** Request line, headers and body, as text */
  request: string;
  requestHeaders: Record<string, unknown>;
  status: number;
  /** May be replaced before it is forwarded, to simulate a lying server */
  answer: Buffer;
}

export interface RecordingProxy {
  url: string;
  exchanges: RecordedExchange[];
  /** While set, replaces the body of every response */
  change: ((exchange: RecordedExchange) => Buffer) | undefined;
  close(): Promise<void>;
}

/** A proxy between a client and an HTTP server that records all traffic. */
export async function startRecordingProxy(targetUrl: string): Promise<RecordingProxy> {
  const target = new URL(targetUrl);
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const body = Buffer.concat(parts);
      const { method = '', url: path = '', headers } = incoming;
      const outgoing = send({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
        const received: Buffer[] = [];
        answer.on('data', (part: Buffer) => received.push(part));
        answer.on('end', () => {
          const exchange: RecordedExchange = {
            method,
            path,
            request: `${method} ${path}\n${JSON.stringify(headers)}\n${body.toString('utf8')}`,
            requestHeaders: headers,
            status: answer.statusCode!,
            answer: Buffer.concat(received),
          };
          proxy.exchanges.push(exchange);
          const bytes = proxy.change?.(exchange) ?? exchange.answer;
          const { 'transfer-encoding': _, 'content-length': __, ...kept } = answer.headers;
          const changed = bytes === exchange.answer ? {} : { [changedHeader]: 'true' };
          response
            .writeHead(exchange.status, { ...kept, ...changed, 'content-length': bytes.length })
            .end(bytes);
        });
      });
      outgoing.on('error', () => response.destroy());
      outgoing.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: RecordingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges: [],
    change: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
