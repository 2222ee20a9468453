import { between, type Random } from '../../../src/seeded-random.ts';
import type { HttpFault } from '../world/http-proxy.ts';
import { type Fault, pick } from './fault.ts';
import { inTime } from './until.ts';

const meetMs = 6_000;

type Draw = (random: Random) => HttpFault;

/** A fault for the next one to three requests of a relayer. */
function httpFault(kind: string, way: 'publisher' | 'provider', draw: Draw, weight = 2): Fault {
  return {
    kind,
    weight,
    async run(world, random) {
      const relayer = pick(random, world.relayers);
      const times = between(random, 1, 3);
      const armed = relayer[way].arm(way === 'publisher' ? 'PUT' : 'POST', draw(random), times);
      try {
        return await inTime(armed.met, meetMs);
      } finally {
        armed.release();
      }
    },
  };
}

const status =
  (code: number, retryAfter?: number): Draw =>
  () => ({ kind: 'status', status: code, ...(retryAfter === undefined ? {} : { retryAfter }) });
const slow: Draw = (random) => ({ kind: 'slow', delayMs: between(random, 500, 3_000) });

export const publisherFaults: readonly Fault[] = [
  httpFault('publisher answers 500', 'publisher', status(500)),
  httpFault('publisher answers 429', 'publisher', status(429, 1)),
  httpFault('publisher answers 503', 'publisher', status(503)),
  httpFault('publisher is slow', 'publisher', slow),
  httpFault('publisher disconnects in the middle of the blob', 'publisher', () => ({ kind: 'cut-request' })),
  httpFault('publisher disconnects in the middle of its response', 'publisher', () => ({
    kind: 'cut-answer',
  })),
  httpFault('publisher stores after the caller gave up', 'publisher', (random) => ({
    kind: 'late',
    afterMs: between(random, 200, 4_000),
  })),
  httpFault('publisher returns an unrelated body', 'publisher', () => ({ kind: 'garbage' })),
];

export const providerFaults: readonly Fault[] = [
  httpFault('provider answers 429', 'provider', status(429, 1)),
  httpFault('provider answers 500', 'provider', status(500)),
  httpFault('provider answers 503', 'provider', status(503)),
  httpFault('provider is slow', 'provider', slow),
  httpFault('provider disconnects in the middle of its response', 'provider', () => ({ kind: 'cut-answer' })),
  httpFault('provider returns an unrelated body', 'provider', () => ({ kind: 'garbage' })),
];

/** Slightly longer than the relayer's timeout for one call (embedding/provider-embedder.ts) */
const giveUpMs = 33_000;

export const providerTimeout: Fault = {
  kind: 'provider does not respond until the relayer gives up',
  weight: 1,
  async run(world, random) {
    const relayer = pick(random, world.relayers);
    const starts = relayer.starts();
    const armed = relayer.provider.arm('POST', { kind: 'hold-request' });
    try {
      if (!(await inTime(armed.met, meetMs))) return false;
      const isGivenUp = await inTime(armed.left, giveUpMs);
      return isGivenUp && relayer.starts() === starts;
    } finally {
      armed.release();
    }
  },
};
