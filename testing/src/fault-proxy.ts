import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What the proxy does with a request: `hold-request` never forwards it, `hold-answer` forwards it and holds back the
 * response, a number responds with that status, `drop` cuts the connection.
 */
export type Fault = 'hold-request' | 'hold-answer' | 'drop' | number;

/** A proxy between the system and an HTTP server that breaks connections when a test asks for it. */
export interface FaultProxy {
  url: string;
  /** Applied to requests with this method; undefined forwards all of them */
  fault: { method: string; kind: Fault } | undefined;
  /** Requests that met the fault */
  hits(): number;
  /** Resolves when a request has met the fault (with `hold-answer`: when its response has arrived) */
  hit(): Promise<void>;
  /** Sends the responses that `hold-answer` held back */
  release(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(targetUrl: string): Promise<FaultProxy> {
  const target = new URL(targetUrl);
  let hits = 0;
  const heldAnswers: (() => void)[] = [];
  let waiting = Promise.withResolvers<void>();
  const count = (): void => {
    hits += 1;
    waiting.resolve();
  };

  function passOn(request: IncomingMessage, response: ServerResponse, holdAnswer: boolean): void {
    const outgoing = send(
      {
        host: target.hostname,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: request.headers,
      },
      (answer) => {
        if (holdAnswer) {
          const parts: Buffer[] = [];
          answer
            .on('data', (part: Buffer) => parts.push(part))
            .once('end', () => {
              heldAnswers.push(() =>
                response.writeHead(answer.statusCode!, answer.headers).end(Buffer.concat(parts)),
              );
              count();
            });
          return;
        }
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.once('error', () => response.destroy());
    request.pipe(outgoing);
  }

  const server = createServer((request, response) => {
    const kind = proxy.fault?.method === request.method ? proxy.fault?.kind : undefined;
    if (kind === undefined || kind === 'hold-answer')
      return passOn(request, response, kind === 'hold-answer');
    request.resume().once('end', () => {
      if (typeof kind === 'number') response.writeHead(kind).end();
      else if (kind === 'drop') response.destroy();
      count();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: undefined,
    hits: () => hits,
    async hit() {
      await waiting.promise;
      waiting = Promise.withResolvers();
    },
    release() {
      for (const send of heldAnswers.splice(0)) send();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
