import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** How the proxy handles a request: forwards it, responds with a status or XML, or never responds. */
export type Verdict = 'pass' | 'silence' | number | { xml: string };

/** A proxy in front of S3 that fails requests as a test requires. Returns its URL. */
export async function startProxy(
  target: string,
  judge: (asked: { method: string; path: string }) => Verdict,
): Promise<string> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming: IncomingMessage, answer) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const verdict = judge({ method, path });
    if (verdict === 'silence') return;
    if (verdict !== 'pass') {
      incoming.resume();
      if (typeof verdict === 'number') answer.writeHead(verdict).end();
      else answer.writeHead(200, { 'content-type': 'application/xml' }).end(verdict.xml);
      return;
    }
    const forwarded = request({ hostname, port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
