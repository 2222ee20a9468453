import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What happens to a request that meets a fault. */
export type HttpFault =
  /** Answered with this status; nothing is passed on */
  | { kind: 'status'; status: number; retryAfter?: number }
  /** Answered well, so much later */
  | { kind: 'slow'; delayMs: number }
  /** Half of its body is passed on, then both connections break */
  | { kind: 'cut-request' }
  /** Carried out, and half of the answer's body comes back */
  | { kind: 'cut-answer' }
  /** The caller hears nothing but a broken connection, and so much later it is carried out after all */
  | { kind: 'late'; afterMs: number }
  /** Not passed on until `release`: the caller gives up before, or is killed */
  | { kind: 'hold-request' }
  /** Carried out, and its answer kept back until the caller is gone or `release` */
  | { kind: 'hold-answer' }
  /** Answered 200 with something else */
  | { kind: 'garbage' };

/** A fault that waits for requests. */
export interface Armed {
  /** How many met it; with `hold-answer`, `cut-answer` and `late` those that were carried out */
  hits(): number;
  /** Resolves at the first */
  met: Promise<void>;
  /** Resolves when the first caller that was held is gone */
  left: Promise<void>;
  /** Those that come from now on pass, and answers that were kept back go out */
  release(): void;
}

/** Stands between parts of the world. */
export interface HttpProxy {
  url: string;
  /** The next requests of this method, as many as `times`, meet the fault */
  arm(method: string, fault: HttpFault, times?: number): Armed;
  /** Requests of callers who gave up that are still to be carried out */
  lateRequests(): number;
  /** How often each status came back from behind */
  statuses: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

interface Waiting {
  method: string;
  fault: HttpFault;
  left: number;
  hit(): void;
  leave(): void;
  held: (() => void)[];
}

export async function startHttpProxy(targetUrl: string): Promise<HttpProxy> {
  const target = new URL(targetUrl);
  const statuses = new Map<number, number>();
  const waiting = new Set<Waiting>();
  let late = 0;
  const closing = new AbortController();

  /** Passes a request with this body on; rejects when there is no answer. */
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
    { fault, hit, leave, held }: Waiting,
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
        await gone(response, held);
        leave();
        return response.destroyed ? undefined : answerWell(request, response, body);
      case 'hold-answer':
        return answerWell(request, response, body, async () => {
          hit();
          await gone(response, held);
          return 'send';
        });
    }
  }

  /** The target gets a body that ends too early. */
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
      // The caller, or who is behind, was killed meanwhile
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
        held: [],
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
          for (const go of one.held.splice(0)) go();
        },
      };
    },
    async close() {
      closing.abort();
      for (const { held } of waiting) for (const go of held) go();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when the caller is gone, or when it is let go. */
function gone(response: ServerResponse, held: (() => void)[]): Promise<void> {
  return new Promise((resolve) => {
    held.push(resolve);
    response.once('close', resolve);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
