import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server on loopback that forwards every request with additional headers, like a host with a configured
 * credential. In `Host` and `Origin` it replaces its own name by the target's.
 */
export async function startCredentialProxy(target: string, headers: Record<string, string>) {
  const to = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sent = { ...incoming.headers, ...headers };
    for (const name of ['host', 'origin'] as const) {
      const value = incoming.headers[name];
      if (typeof value === 'string') sent[name] = value.replace(own, to.host);
    }
    const { method } = incoming;
    const passed = httpRequest(
      { host: to.hostname, port: to.port, path: incoming.url, method, headers: sent },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
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
