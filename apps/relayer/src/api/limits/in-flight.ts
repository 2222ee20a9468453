import type { FastifyReply, FastifyRequest } from 'fastify';
import { createFairTurns } from '../../base/concurrency/fair-turns.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import { untilGone } from '../http/event-stream.ts';
import { untilSent } from '../http/until-sent.ts';

/**
 * Bounds the memory that requests of one kind hold at the same time, by the size of their bodies or answers. One account
 * may hold a quarter of it. What exceeds that waits for its turn, and accounts take turns.
 */
export interface InFlight {
  /** Runs `work`, which says what it needs as soon as it knows. Given back when it ended and its answer was sent. */
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
  /** Longest wait; default 15,000 ms, half of what the SDK gives an attempt */
  waitMs?: number;
  /** Bytes of bodies that may wait in all, a quarter for one account; default 16 MiB */
  maxWaitingBytes?: number;
}

const mib = 1024 * 1024;
/** Minimum that a request holds, however small its body: envelope, row, connection */
const leastBytes = 64 * 1024;
/** The same while it only waits */
const leastWaitingBytes = 4 * 1024;

export function createInFlight(maxBytes: number, options: InFlightOptions = {}): InFlight {
  const { waitMs = 15_000, maxWaitingBytes = 16 * mib } = options;
  const turns = createFairTurns({ total: maxBytes, waitMs, maxHeld: maxWaitingBytes });
  const inFlight: InFlight = {
    async during(request, reply, work) {
      const { accountId } = request.caller.account;
      const gone = untilGone(reply);
      const held = Math.max(request.rawBody.length, leastWaitingBytes);
      const leaves: (() => void)[] = [];
      const hold: Hold = async (bytes) => {
        const units = Math.max(bytes, leastBytes);
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
