import { type AnalyzeAccepted, analyzeRequest, askRequest } from '@memrelay/protocol/llm';
import type { FastifyInstance } from 'fastify';
import { ask, askInPieces } from '../answers/ask.ts';
import type { RelayerContext } from '../context.ts';
import { warnOfDelegateKey } from '../http/deprecations.ts';
import { closed, sendEvents, untilGone, wantsEvents } from '../http/event-stream.ts';
import { repeatKeyOf } from '../http/repeat-key.ts';
import { createSingleFlight } from '../http/single-flight.ts';
import { validate } from '../http/validate.ts';
import { createInFlight } from '../limits/in-flight.ts';
import { analyze } from '../memories/analyze.ts';

/** Of texts and questions at once: a model takes its time, and each holds its memories meanwhile */
const maxInFlightBytes = 32 * 1024 * 1024;
/** What a question holds, about: the memories that are recalled for it */
const askBytes = 1024 * 1024;

/** The signed routes that a language model takes part in. */
export function llmRoutes(app: FastifyInstance, context: RelayerContext): void {
  const { memories: log } = context.loggers;
  const inFlight = createInFlight(maxInFlightBytes);
  const once = createSingleFlight<AnalyzeAccepted>();
  // A call may last longer than an end does
  app.addHook('preClose', async () => context.chat?.abort());

  app.post('/api/analyze', async (request, reply): Promise<AnalyzeAccepted> => {
    warnOfDelegateKey(log, request, reply);
    const { caller, rawBody, stages } = request;
    const text = validate(analyzeRequest, request.body);
    const repeatKey = repeatKeyOf(request, text);
    const work = () => inFlight.run(rawBody.length, () => analyze(context, caller, text, repeatKey, stages));
    reply.code(202);
    // It goes on when its caller is gone, who comes back with the same key and waits for the same end
    if (!repeatKey) return work();
    const { key, bodySha256 } = repeatKey;
    return once(
      [caller.account.accountId, caller.publicKey, bodySha256.toString('hex'), key].join(' '),
      work,
    );
  });

  app.post('/api/ask', async (request, reply) => {
    warnOfDelegateKey(log, request, reply);
    const { caller, stages } = request;
    const question = validate(askRequest, request.body);
    const gone = untilGone(reply);
    return inFlight.run(askBytes, async () => {
      if (!wantsEvents(request)) return ask(context, caller, question, stages, gone);
      const events = await askInPieces(context, caller, question, stages, gone);
      sendEvents(log, request, reply, events, gone);
      await closed(reply);
      return reply;
    });
  });
}
