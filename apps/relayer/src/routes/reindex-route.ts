import { type ReindexResponse, reindexRequest } from '@memrelay/protocol/reindex';
import type { FastifyInstance } from 'fastify';
import type { RelayerContext } from '../context.ts';
import { validate } from '../http/validate.ts';
import { createInFlight } from '../limits/in-flight.ts';
import { reindex } from '../reindex/reindex.ts';

/** Of envelopes and texts that a call holds at once, at most */
const stepBytes = 16 * 1024 * 1024;
const callsAtOnce = 8;
/** Of one account: it must not keep all others out */
const ownAtOnce = 2;

/** `app` has the auth hook, so every request has a caller. */
export function reindexRoute(app: FastifyInstance, context: RelayerContext): void {
  const underWay = createInFlight(stepBytes * callsAtOnce, stepBytes * ownAtOnce);
  app.post('/api/reindex', async (request): Promise<ReindexResponse> => {
    const wanted = validate(reindexRequest, request.body);
    const work = () => reindex(context, request.caller, wanted);
    return underWay.run(stepBytes, work, request.caller.account.accountId);
  });
}
