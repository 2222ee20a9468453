import type { AddressInfo } from 'node:net';
import { type FastifyReply, fastify } from 'fastify';

/** A proxy in front of key servers that counts requests and injects faults. */
export async function startFaultyProxy(target: string) {
  const faults = {
    requests: 0,
    /** Prefixes of key servers that break every connection, e.g. `/key/1` */
    down: new Set<string>(),
    /** The response instead of a key */
    answer: undefined as undefined | ((reply: FastifyReply) => unknown),
  };
  const app = fastify({ forceCloseConnections: true });
  app.all('/*', async (request, reply) => {
    faults.requests += 1;
    if (faults.down.has(request.url.slice(0, '/key/N'.length))) {
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
      .send(await answer.text());
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { faults, url: `http://127.0.0.1:${port}`, close: () => app.close() };
}
