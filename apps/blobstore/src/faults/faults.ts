import { setTimeout } from 'node:timers/promises';
import {
  blobUnavailable,
  cachedNotFound,
  internalError,
  storeUnavailable,
  tooManyRequests,
} from '../base/api-error.ts';

/**
 * Failures on request, so that developers can test how their client handles them. Faults of reads: the blob is
 * temporarily missing, the aggregator is overloaded, fails or is slow, or a CDN returns a 404 that it cached before
 * the store.
 */
export const readFaults = [
  'BLOB_UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'CACHED_NOT_FOUND',
  'SLOW',
] as const;

/** Stores can also fail because too few storage nodes answer, which leaves the registration uncertified. */
export const storeFaults = [
  'INSUFFICIENT_CONFIRMATIONS',
  'REGISTRY_UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SLOW',
] as const;

interface FaultScope {
  /** All blobs when absent */
  blobId?: string | undefined;
  /** Number of requests that the fault affects; unlimited when absent */
  count?: number | undefined;
  /** How long it is active, in milliseconds; until it is cleared if absent */
  durationMs?: number | undefined;
  /** Milliseconds that `SLOW` adds: before a read is answered, or before a store is certified */
  delayMs?: number | undefined;
}

export type NewFault = FaultScope &
  (
    | { operation: 'read'; fault: (typeof readFaults)[number] }
    | { operation: 'store'; fault: (typeof storeFaults)[number] }
  );

/** An active fault, with its remaining count and time. */
export type Fault = NewFault & { id: string };

/** The remaining faults of a store, when no fault ends it immediately. */
export interface StoreFault {
  beforeCertificate(): Promise<void>;
  leavesUncertified: boolean;
}

export interface Faults {
  add(fault: NewFault): Fault;
  list(): Fault[];
  /** Ends one fault. Returns whether there was one with that id. */
  remove(id: string): boolean;
  /** Ends all faults, and the delays that they caused. */
  clear(): void;
  /** Applies the faults for reads of this blob: waits, throws, or does nothing. */
  meetRead(blobId: string): Promise<void>;
  /**
   * Applies the faults for stores of this blob. Faults about the certificate are returned, for the caller to apply.
   */
  meetStore(blobId: string): Promise<StoreFault>;
}

interface ActiveFault {
  fault: Fault;
  endsAtMs: number;
}

const defaultDelayMs = 1000;

/** `now` is in milliseconds since 1970. */
export function createFaults(now: () => number = Date.now): Faults {
  const active = new Map<string, ActiveFault>();
  let cleared = new AbortController();
  let added = 0;

  function current(): ActiveFault[] {
    for (const { fault, endsAtMs } of active.values()) if (endsAtMs <= now()) active.delete(fault.id);
    return [...active.values()];
  }

  /** The faults that apply to a request. Decrements the count of each. */
  function meet(operation: Fault['operation'], blobId: string): Fault[] {
    const met = current()
      .map(({ fault }) => fault)
      .filter((fault) => fault.operation === operation && (fault.blobId ?? blobId) === blobId);
    for (const fault of met) {
      if (fault.count === undefined) continue;
      fault.count -= 1;
      if (fault.count === 0) active.delete(fault.id);
    }
    return met;
  }

  /** `signal` belongs to the time when the faults applied; they may have been cleared since. */
  async function wait(met: Fault[], signal: AbortSignal): Promise<void> {
    const slow = met.filter(({ fault }) => fault === 'SLOW');
    const totalMs = slow.reduce((sum, { delayMs = defaultDelayMs }) => sum + delayMs, 0);
    if (totalMs === 0) return;
    await setTimeout(totalMs, undefined, { signal }).catch(() => undefined);
  }

  return {
    add(wanted) {
      added += 1;
      const fault = { ...wanted, id: String(added) };
      active.set(fault.id, { fault, endsAtMs: now() + (wanted.durationMs ?? Number.POSITIVE_INFINITY) });
      return { ...fault };
    },

    list: () =>
      current().map(({ fault, endsAtMs }) =>
        Number.isFinite(endsAtMs) ? { ...fault, durationMs: endsAtMs - now() } : { ...fault },
      ),

    remove: (id) => active.delete(id),

    clear() {
      active.clear();
      cleared.abort();
      cleared = new AbortController();
    },

    async meetRead(blobId) {
      const met = meet('read', blobId);
      await wait(met, cleared.signal);
      for (const { fault } of met) throwAsRead(fault);
    },

    async meetStore(blobId) {
      const met = meet('store', blobId);
      for (const { fault } of met) throwAsStore(fault);
      const { signal } = cleared;
      return {
        beforeCertificate: () => wait(met, signal),
        leavesUncertified: met.some(({ fault }) => fault === 'INSUFFICIENT_CONFIRMATIONS'),
      };
    },
  };
}

/** The cause in the log. The response is that of the simulated failure. */
function injected(): Error {
  return new Error('injected fault');
}

function throwAsRead(fault: Fault['fault']): void {
  if (fault === 'BLOB_UNAVAILABLE') throw blobUnavailable(injected());
  if (fault === 'TOO_MANY_REQUESTS') throw tooManyRequests('aggregator');
  if (fault === 'INTERNAL_ERROR') throw internalError(injected());
  if (fault === 'CACHED_NOT_FOUND') throw cachedNotFound();
}

function throwAsStore(fault: Fault['fault']): void {
  if (fault === 'REGISTRY_UNAVAILABLE') throw storeUnavailable(injected());
  if (fault === 'TOO_MANY_REQUESTS') throw tooManyRequests('publisher');
  if (fault === 'INTERNAL_ERROR') throw internalError(injected());
}
