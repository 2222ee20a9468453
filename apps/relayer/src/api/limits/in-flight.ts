import type { FastifyReply, FastifyRequest } from 'fastify';
import { createFairTurns } from '../../base/concurrency/fair-turns.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import { untilGone } from '../http/event-stream.ts';
import { untilSent } from '../http/until-sent.ts';

/**
 * Limits the memory that requests of one kind use at the same time, measured by the size of their bodies or responses.
 * One account may use a quarter of it. Requests over the limit wait, and accounts take turns.
 */
export interface InFlight {
  /**
   * Runs `work`, which reserves bytes once it knows how many it needs. They are released when the response was sent.
   */
  during<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (hold: Hold, gone: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Runs `work` when there is room for this many bytes. Throws `overloaded`. */
  run<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    bytes: number,
    work: (gone: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Rejects waiting requests when the relayer stops */
  close(): void;
  readonly state: { inUse: number; waiting: number };
}

export interface InFlightOptions {
  /** Longest wait; default 15,000 ms, half of the SDK's timeout for one attempt */
  waitMs?: number;
  /** Total body bytes that may wait, of which one account may use a quarter; default 16 MiB */
  maxWaitingBytes?: number;
}

const mib = 1024 * 1024;
/** Minimum counted per request: even a small body needs an envelope, a row and a connection */
const minBytes = 64 * 1024;
/** Minimum counted per waiting request */
const minWaitingBytes = 4 * 1024;

export function createInFlight(maxBytes: number, options: InFlightOptions = {}): InFlight {
  const { waitMs = 15_000, maxWaitingBytes = 16 * mib } = options;
  const turns = createFairTurns({ total: maxBytes, waitMs, maxHeld: maxWaitingBytes });
  const inFlight: InFlight = {
    async during(request, reply, work) {
      const { accountId } = request.caller.account;
      const gone = untilGone(reply);
      const held = Math.max(request.rawBody.length, minWaitingBytes);
      const leaves: (() => void)[] = [];
      const hold: Hold = async (bytes) => {
        const units = Math.max(bytes, minBytes);
        leaves.push(await turns.enter({ accountId, units, held, signal: gone }));
      };
      try {
        return await work(hold, gone);
      } finally {
        untilSent(reply, () => {
          for (const leave of leaves) leave();
        });
      }
    },
    run: (request, reply, bytes, work) =>
      inFlight.during(request, reply, async (hold, gone) => {
        await hold(bytes);
        return work(gone);
      }),
    close: turns.close,
    get state() {
      return turns.state;
    },
  };
  return inFlight;
}
