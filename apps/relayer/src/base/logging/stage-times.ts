import { noTracing, type Tracing } from '@memrelay/process/tracing';
import type { FastifyInstance } from 'fastify';

/** Durations of the stages of one request, by name. Contains no content of the request or response. */
export interface StageTimes {
  /** Runs `work` and adds its time to the stage, also when it throws. */
  measure<T>(stage: string, work: () => T | Promise<T>): Promise<T>;
  /** Adds `ms` milliseconds to a stage. */
  add(stage: string, ms: number): void;
  /** Name and milliseconds of each stage */
  entries(): Iterable<[string, number]>;
  /** The value of a `Server-Timing` header, stages in the order in which they began to count. */
  header(): string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated */
    stages: StageTimes;
  }
}

/** Each stage is also a span of the request's trace. */
export function createStageTimes(tracing: Tracing = noTracing): StageTimes {
  const stages = new Map<string, number>();
  const add = (stage: string, ms: number): void => {
    stages.set(stage, (stages.get(stage) ?? 0) + ms);
  };
  return {
    add,
    entries: () => stages.entries(),
    async measure(stage, work) {
      const started = performance.now();
      try {
        if (tracing === noTracing) return await work();
        return await tracing.span(stage, {}, async () => work());
      } finally {
        add(stage, performance.now() - started);
      }
    },
    header: () => [...stages].map(([name, ms]) => `${name};dur=${ms.toFixed(2)}`).join(', '),
  };
}

/**
 * Adds the duration of each stage as `Server-Timing` (W3C) to every successful response to an authenticated request.
 * Other responses have none, so that strangers do not learn how far a request came. `auth` covers everything before the
 * route, including the body; `total` ends just before the response is written. Register it in the scope of the
 * authentication.
 */
export function registerStageTimes(app: FastifyInstance, tracing: Tracing = noTracing): void {
  app.decorateRequest('stages');
  app.addHook('preHandler', async (request, reply) => {
    request.stages = createStageTimes(tracing);
    request.stages.add('auth', reply.elapsedTime);
  });
  app.addHook('onSend', async (request, reply) => {
    if (!request.stages || reply.statusCode >= 400) return;
    request.stages.add('total', reply.elapsedTime);
    reply.header('server-timing', request.stages.header());
  });
}
