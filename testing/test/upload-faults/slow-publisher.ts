import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A publisher whose responses are late, so that its callers do not yet know what it has stored. */
export interface SlowPublisher {
  url: string;
  close(): Promise<void>;
}

/** Starts a proxy to `targetUrl`; `delayMs` is drawn for each response. */
export async function startSlowPublisher(targetUrl: string, delayMs: () => number): Promise<SlowPublisher> {
  const { hostname: host, port } = new URL(targetUrl);
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const outgoing = send({ host, port, method, path, headers }, async (answer) => {
      await pause(delayMs());
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    request.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
