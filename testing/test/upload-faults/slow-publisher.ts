import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A publisher whose answers are late: what it has stored is then not heard of for a while. */
export interface SlowPublisher {
  url: string;
  close(): Promise<void>;
}

/** Passes all on to `targetUrl`; `delayMs` is drawn for each answer. */
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
