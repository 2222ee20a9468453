import { type RestoreResponse, restoreRequest } from '@memrelay/protocol/restore';
import type { FastifyInstance } from 'fastify';
import type { RelayerContext } from '../context.ts';
import { validate } from '../http/validate.ts';
import { createInFlight } from '../limits/in-flight.ts';
import { restore } from '../restore/restore.ts';

/** Of envelopes and texts that restores hold at once: a batch of the largest is 24 MiB, and as much again of text */
const batchBytes = 48 * 1024 * 1024;
const restoresAtOnce = 4;
/** Of one account: it must not keep all others out */
const ownAtOnce = 2;

/** `app` has the auth hook, so every request has a caller. */
export function restoreRoute(app: FastifyInstance, context: RelayerContext): void {
  const restoring = createInFlight(batchBytes * restoresAtOnce, batchBytes * ownAtOnce);
  app.post('/api/restore', async (request): Promise<RestoreResponse> => {
    const wanted = validate(restoreRequest, request.body);
    const work = () => restore(context, request.caller, wanted);
    return restoring.run(batchBytes, work, request.caller.account.accountId);
  });
}
