import type { AddressInfo } from 'node:net';
import { type FastifyReply, fastify } from 'fastify';

/** A proxy in front of key servers that counts requests and injects faults. */
export async function startFaultyProxy(target: string) {
  const faults = {
    requests: 0,
    /** Prefixes of key servers that break every connection, e.g. `/key/1` */
    down: new Set<string>(),
    /** Prefixes of key servers that answer with wrong keys */
    lying: new Set<string>(),
    /** The response instead of a key */
    answer: undefined as undefined | ((reply: FastifyReply) => unknown),
  };
  const app = fastify({ forceCloseConnections: true });
  app.all('/*', async (request, reply) => {
    faults.requests += 1;
    const server = request.url.slice(0, '/key/N'.length);
    if (faults.down.has(server)) {
      reply.hijack();
      return void request.raw.socket.destroy();
    }
    if (faults.answer) {
      faults.answer(reply);
      return reply;
    }
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method,
      headers: headers as Record<string, string>,
      ...(request.body ? { body: JSON.stringify(request.body) } : {}),
    });
    return reply
      .code(answer.status)
      .headers({
        'content-type': answer.headers.get('content-type') ?? '',
        'x-keyserver-version': answer.headers.get('x-keyserver-version') ?? '',
      })
      .send(faults.lying.has(server) ? withWrongKeys(await answer.text()) : await answer.text());
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { faults, url: `http://127.0.0.1:${port}`, close: () => app.close() };
}

/** Each key stays a pair of points, but belongs to nothing. */
function withWrongKeys(answer: string): string {
  const { decryption_keys: keys } = JSON.parse(answer);
  return JSON.stringify({
    decryption_keys: keys?.map(
      ({ id, encrypted_key: [mask] }: { id: number[]; encrypted_key: string[] }) => ({
        id,
        encrypted_key: [mask, mask],
      }),
    ),
  });
}
