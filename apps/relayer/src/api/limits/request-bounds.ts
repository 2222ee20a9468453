import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createFairTurns, type FairTurns } from '../../base/concurrency/fair-turns.ts';
import { recallAnswerBytes } from '../../memories/recall/recall.ts';
import { untilGone } from '../http/event-stream.ts';
import { signedRouteOf } from '../http/route.ts';
import { sendInTime, untilSent } from '../http/until-sent.ts';
import { createInFlight, type InFlight } from './in-flight.ts';

/** What requests may use at the same time on this relayer. One account gets at most a quarter of each. */
export interface RequestBounds {
  /** Requests that only use the database, and recalls */
  requests: FairTurns;
  /** Searches: an account must not fill the database's connections */
  searches: FairTurns;
  /** Envelopes whose texts are recalled */
  recalling: InFlight;
  /** Bodies of memories that are accepted */
  accepting: InFlight;
  /** The same of manual calls that wait for their upload: these must not keep others from being accepted */
  awaitingUpload: InFlight;
  /** Analyze and ask */
  asking: InFlight;
  exporting: InFlight;
  importing: InFlight;
  restoring: InFlight;
  reindexing: InFlight;
  /** Refuses everything that waits */
  close(): void;
}

const mib = 1024 * 1024;

/** Of envelopes and texts in one step of a restore: a batch of the largest is 24 MiB, and as much again of text */
export const restoreBytes = 48 * mib;
/** Of envelopes and texts that one call of reindex holds at once, at most */
export const reindexBytes = 16 * mib;
/** Estimate of what analyze or ask holds in addition to recalled memories: text, compared or quoted facts, answer */
export const askBytes = 2 * mib;

export function createRequestBounds(): RequestBounds {
  const bounds = {
    requests: createFairTurns({ total: 256, waitMs: 10_000, maxHeld: 2_048 }),
    // The pool has 12 connections; four for one account leave room for others
    searches: createFairTurns({ total: 16 }),
    // A text takes up to twice the bytes of its envelope
    recalling: createInFlight(4 * recallAnswerBytes),
    accepting: createInFlight(64 * mib, { maxWaitingBytes: 64 * mib }),
    awaitingUpload: createInFlight(64 * mib, { maxWaitingBytes: 64 * mib }),
    // A model takes its time; the SDK waits two minutes for it
    asking: createInFlight(64 * askBytes, { waitMs: 30_000 }),
    exporting: createInFlight(32 * mib),
    importing: createInFlight(32 * mib, { maxWaitingBytes: 64 * mib }),
    restoring: createInFlight(8 * restoreBytes),
    reindexing: createInFlight(8 * reindexBytes),
  };
  return {
    ...bounds,
    close() {
      for (const bound of Object.values(bounds)) bound.close();
    },
  };
}

/**
 * Counts the signed requests of each account in this scope. Register it after the authentication. A request counts until
 * its route has answered and the answer is sent or its client gone.
 */
export function registerRequestBounds(app: FastifyInstance, bounds: RequestBounds): void {
  const answered = new WeakMap<FastifyRequest, () => void>();
  app.addHook('preHandler', async (request, reply) => {
    if (signedRouteOf(request)?.ownBound) return;
    const { accountId } = request.caller.account;
    const leave = await bounds.requests.enter({ accountId, units: 1, signal: untilGone(reply) });
    let open = 2;
    const end = (): void => {
      open -= 1;
      if (open === 0) leave();
    };
    answered.set(request, end);
    untilSent(reply, end);
  });
  app.addHook('onSend', async (request, reply) => {
    sendInTime(reply);
    answered.get(request)?.();
    answered.delete(request);
  });
  app.addHook('preClose', async () => bounds.close());
}
