import {
  type AnalyzeAccepted,
  type AnalyzePreview,
  analyzeRequest,
  askRequest,
} from '@memrelay/protocol/llm';
import type { FastifyInstance } from 'fastify';
import type { Loggers } from '../../base/logging/loggers.ts';
import { repeatKeyOf } from '../../jobs/queue/repeat-key.ts';
import { type AskParts, ask, askInPieces } from '../../memories/answers/ask.ts';
import { type AnalyzeParts, analyze } from '../../memories/remember/analyze.ts';
import { warnOfDelegateKey } from '../http/deprecations.ts';
import { closed, sendEvents, wantsEvents } from '../http/event-stream.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import { askBytes, type RequestBounds } from '../limits/request-bounds.ts';
import type { RequestLimits } from '../limits/request-limits.ts';

export type LlmRouteParts = AskParts &
  AnalyzeParts & {
    requestBounds: RequestBounds;
    requestLimits: Pick<RequestLimits, 'takeFacts'>;
    loggers: Loggers;
  };

/** The signed routes that use a language model. */
export function llmRoutes(app: FastifyInstance, parts: LlmRouteParts): void {
  const { memories: log } = parts.loggers;
  const { asking, recalling } = parts.requestBounds;
  const once = createSingleFlight<AnalyzeAccepted | AnalyzePreview>();
  // A model call may take longer than the shutdown may take
  app.addHook('preClose', async () => parts.chat?.abort());

  app.post(
    '/api/analyze',
    route({ auth: 'signature', scope: ['write'], cost: 5, costPerFact: 1, ownBound: true }),
    async (request, reply): Promise<AnalyzeAccepted | AnalyzePreview> => {
      warnOfDelegateKey(log, request, reply);
      const { caller, rawBody, stages } = request;
      const text = validate(analyzeRequest, request.body);
      const repeatKey = repeatKeyOf(request, text);
      const bytes = askBytes + rawBody.length;
      const work = () =>
        asking.run(request, reply, bytes, () =>
          analyze(parts, caller, text, repeatKey, stages, (facts) =>
            parts.requestLimits.takeFacts(request, facts),
          ),
        );
      reply.code(text.dry_run ? 200 : 202);
      // Keeps running when the client disconnects: a retry with the same key waits for the same result
      if (!repeatKey || text.dry_run) return work();
      const { key, bodySha256 } = repeatKey;
      return once(
        [caller.account.accountId, caller.publicKey, bodySha256.toString('hex'), key].join(' '),
        work,
      );
    },
  );

  app.post(
    '/api/ask',
    route({ auth: 'signature', scope: ['read'], cost: 2, ownBound: true }),
    async (request, reply) => {
      warnOfDelegateKey(log, request, reply);
      const { caller, stages } = request;
      const question = validate(askRequest, request.body);
      return asking.run(request, reply, askBytes, () =>
        recalling.during(request, reply, async (hold, gone) => {
          const asked = { question, stages, gone, hold };
          if (!wantsEvents(request)) return ask(parts, caller, asked);
          const events = await askInPieces(parts, caller, asked);
          sendEvents(log, request, reply, events, gone);
          await closed(reply);
          return reply;
        }),
      );
    },
  );
}

/** Runs work once for concurrent calls with the same name: they share its result. */
function createSingleFlight<T>(): (name: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  return (name, work) => {
    const known = underWay.get(name);
    if (known) return known;
    const begun = work().finally(() => underWay.delete(name));
    underWay.set(name, begun);
    return begun;
  };
}
