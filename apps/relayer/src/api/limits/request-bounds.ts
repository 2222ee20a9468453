import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createFairTurns, type FairTurns } from '../../base/concurrency/fair-turns.ts';
import { createSheddingQueue, type SheddingQueue } from '../../base/concurrency/shedding-queue.ts';
import { maxGroup } from '../../jobs/rows/accept-group.ts';
import { recallAnswerBytes } from '../../memories/recall/recall.ts';
import { untilGone } from '../http/event-stream.ts';
import { signedRouteOf } from '../http/route.ts';
import { sendInTime, untilSent } from '../http/until-sent.ts';
import { createInFlight, type InFlight } from './in-flight.ts';

/** Limits on concurrent requests of this relayer. One account gets at most a quarter of each. */
export interface RequestBounds {
  /** Requests that only use the database, and recalls */
  requests: FairTurns;
  /** Searches: one account must not use all database connections */
  searches: FairTurns;
  /** Envelopes of recalled texts */
  recalling: InFlight;
  /** Bodies of memories being accepted */
  accepting: InFlight;
  /** Memories being sealed and saved, after their bodies had room */
  storing: SheddingQueue;
  /** Bodies of manual calls that wait for their upload: these must not block others from being accepted */
  awaitingUpload: InFlight;
  /** Analyze and ask */
  asking: InFlight;
  exporting: InFlight;
  importing: InFlight;
  restoring: InFlight;
  reindexing: InFlight;
  /** Refuses all waiting requests */
  close(): void;
}

const mib = 1024 * 1024;

/** Envelopes and texts in one step of a restore: the largest batch has 24 MiB of envelopes and 24 MiB of texts */
export const restoreBytes = 48 * mib;
/** Maximum size of the envelopes and texts that one reindex call holds at once */
export const reindexBytes = 16 * mib;
/** Estimated memory of analyze or ask in addition to recalled memories: text, compared or quoted facts, answer */
export const askBytes = 2 * mib;

export function createRequestBounds(): RequestBounds {
  const bounds = {
    requests: createFairTurns({ total: 256, waitMs: 10_000, maxHeld: 2_048 }),
    // The pool has 12 connections; four for one account leave room for others
    searches: createFairTurns({ total: 16 }),
    // A text takes up to twice the bytes of its envelope
    recalling: createInFlight(4 * recallAnswerBytes),
    accepting: createInFlight(64 * mib, { maxWaitingBytes: 64 * mib }),
    // Enough for two statements, and for a third that is being sealed
    storing: createSheddingQueue({ slots: 3 * maxGroup }),
    awaitingUpload: createInFlight(64 * mib, { maxWaitingBytes: 64 * mib }),
    // Models respond slowly; the SDK waits two minutes
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
 * Limits the concurrent signed requests of each account in this scope. Register it after the authentication. A request
 * counts until its response is sent or its client has disconnected.
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

/** Refuses requests of a route that sheds, by a key whose earlier ones have waited too long. Throws `overloaded`. */
export function refuseOverdue({ storing }: RequestBounds) {
  return (publicKey: string, request: FastifyRequest): void => {
    if (signedRouteOf(request)?.sheds && storing.isOverdue(publicKey))
      throw new ApiError('overloaded', { retryAfter: 1 });
  };
}
