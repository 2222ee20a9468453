import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What happens to a request with a fault. */
export type HttpFault =
  /** Answered with this status; nothing is forwarded */
  | { kind: 'status'; status: number; retryAfter?: number }
  /** Answered correctly, after this delay */
  | { kind: 'slow'; delayMs: number }
  /** Half of the request body is forwarded, then both connections break */
  | { kind: 'cut-request' }
  /** The request is executed, but only half of the response body is returned */
  | { kind: 'cut-answer' }
  /** The caller gets a broken connection, and the request is executed after this delay */
  | { kind: 'late'; afterMs: number }
  /** Not forwarded until `release`: the caller gives up before, or is killed */
  | { kind: 'hold-request' }
  /** The request is executed, but its response is held until the caller is gone or `release` is called */
  | { kind: 'hold-answer' }
  /** Answered with status 200 and an unrelated body */
  | { kind: 'garbage' };

/** A fault that waits for requests. */
export interface Armed {
  /** Number of requests with the fault; for `hold-answer`, `cut-answer` and `late`, of those that were executed */
  hits(): number;
  /** Resolves at the first request */
  met: Promise<void>;
  /** Resolves when the first held caller has disconnected */
  left: Promise<void>;
  /** Ends the fault: later requests pass, and held responses are sent */
  release(): void;
}

/** A proxy between parts of the world. */
export interface HttpProxy {
  url: string;
  /** Applies the fault to the next `times` requests with this method */
  arm(method: string, fault: HttpFault, times?: number): Armed;
  /** Number of requests that will still be executed although their callers gave up */
  lateRequests(): number;
  /** How often the server behind it returned each status */
  statuses: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

interface Waiting {
  method: string;
  fault: HttpFault;
  left: number;
  hit(): void;
  leave(): void;
  releases: (() => void)[];
}

export async function startHttpProxy(targetUrl: string): Promise<HttpProxy> {
  const target = new URL(targetUrl);
  const statuses = new Map<number, number>();
  const waiting = new Set<Waiting>();
  let late = 0;
  const closing = new AbortController();

  /** Forwards a request with this body; rejects when there is no response. */
  function passOn({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { hostname: host, port } = target;
      const outgoing = send({ host, port, method, path: url, headers, agent: false }, (answer) => {
        const status = answer.statusCode!;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        resolve(answer);
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }

  async function answerWell(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    before: (answer: Buffer) => Promise<'send' | 'cut'> = async () => 'send',
  ): Promise<void> {
    try {
      const answer = await passOn(request, body);
      const bytes = await bodyOf(answer);
      const how = await before(bytes);
      if (response.destroyed) return;
      const { 'transfer-encoding': _, ...headers } = answer.headers;
      response.writeHead(answer.statusCode!, { ...headers, 'content-length': String(bytes.length) });
      if (how === 'send') return void response.end(bytes);
      response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
    } catch {
      response.destroy();
    }
  }

  async function meet(
    { fault, hit, leave, releases }: Waiting,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await bodyOf(request);
    switch (fault.kind) {
      case 'status': {
        const { status, retryAfter } = fault;
        response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
        response.end();
        return hit();
      }
      case 'garbage':
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"unexpected": true}');
        return hit();
      case 'slow':
        hit();
        return answerWell(request, response, body, async () => {
          await pause(fault.delayMs, undefined, { signal: closing.signal });
          return 'send';
        });
      case 'cut-request':
        await cutOff(request, body);
        response.destroy();
        return hit();
      case 'cut-answer':
        return answerWell(request, response, body, async () => {
          hit();
          return 'cut';
        });
      case 'late':
        late += 1;
        response.destroy();
        try {
          await pause(fault.afterMs, undefined, { signal: closing.signal });
          await bodyOf(await passOn(request, body));
          return hit();
        } finally {
          late -= 1;
        }
      case 'hold-request':
        hit();
        await untilGone(response, releases);
        leave();
        return response.destroyed ? undefined : answerWell(request, response, body);
      case 'hold-answer':
        return answerWell(request, response, body, async () => {
          hit();
          await untilGone(response, releases);
          return 'send';
        });
    }
  }

  /** Forwards only a part of the body, and then disconnects from the target. */
  function cutOff({ method, url, headers }: IncomingMessage, body: Buffer): Promise<void> {
    return new Promise((resolve) => {
      const { hostname: host, port } = target;
      const outgoing = send({ host, port, method, path: url, headers, agent: false });
      outgoing.once('close', resolve).once('error', () => undefined);
      outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.destroy());
    });
  }

  const server = createServer(async (request, response) => {
    const met = [...waiting].find((one) => one.method === request.method && one.left > 0);
    try {
      if (!met) return await answerWell(request, response, await bodyOf(request));
      met.left -= 1;
      if (met.left === 0) waiting.delete(met);
      await meet(met, request, response);
    } catch {
      // The caller or the target was killed in the meantime
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statuses,
    lateRequests: () => late,
    arm(method, fault, times = 1) {
      const first = Promise.withResolvers<void>();
      const firstGone = Promise.withResolvers<void>();
      let hits = 0;
      const one: Waiting = {
        method,
        fault,
        left: times,
        releases: [],
        hit() {
          hits += 1;
          first.resolve();
        },
        leave: firstGone.resolve,
      };
      waiting.add(one);
      return {
        hits: () => hits,
        met: first.promise,
        left: firstGone.promise,
        release() {
          waiting.delete(one);
          for (const go of one.releases.splice(0)) go();
        },
      };
    },
    async close() {
      closing.abort();
      for (const { releases } of waiting) for (const go of releases) go();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when the caller is gone or the request is released. */
function untilGone(response: ServerResponse, releases: (() => void)[]): Promise<void> {
  return new Promise((resolve) => {
    releases.push(resolve);
    response.once('close', resolve);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
