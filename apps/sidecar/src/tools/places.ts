import { rpcCodes } from '@memrelay/protocol/tool-server';
import { RpcRefusal } from './rpc-refusal.ts';

/** Limits on the number of sessions (spec, "Limits"). */
export interface SessionLimits {
  /** MCP_MAX_TOTAL_SESSIONS */
  total: number;
  /** MCP_MAX_SESSIONS_PER_IP */
  perAddress: number;
  /** MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN */
  newPerMinute: number;
}

const windowMs = 60_000;
/** `Retry-After` in seconds while all places are in use. It is unknown when one becomes free. */
const fullRetrySeconds = 10;

interface AddressUse {
  active: number;
  /** Times at which its sessions of the last minute were opened, in milliseconds, oldest first */
  openedAtMs: number[];
}

/** Counts sessions, in total and per client address. */
export class Places {
  readonly #limits: SessionLimits;
  /** Ends the longest idle session of the address. Returns false if it has none */
  readonly #evict: (address: string) => boolean;
  readonly #now: () => number;
  readonly #addresses = new Map<string, AddressUse>();
  #active = 0;

  constructor(limits: SessionLimits, evict: (address: string) => boolean, now = () => performance.now()) {
    this.#limits = limits;
    this.#evict = evict;
    this.#now = now;
  }

  get active(): number {
    return this.#active;
  }

  /**
   * Reserves a place and returns a function that releases it. A new session also counts towards the limit per minute; a request
   * without session counts only while it is answered. If all places are taken, an idle session of the same address is ended.
   * Throws `RpcRefusal` 429.
   */
  take(address: string, kind: 'session' | 'request'): () => void {
    const use = this.#addresses.get(address) ?? { active: 0, openedAtMs: [] };
    const nowMs = this.#now();
    use.openedAtMs = use.openedAtMs.filter((atMs) => nowMs - atMs < windowMs);
    if (kind === 'session' && use.openedAtMs.length >= this.#limits.newPerMinute)
      throw tooMany(
        'ip_burst_cap',
        'Too many new sessions from this address within a minute.',
        Math.ceil((use.openedAtMs[0]! + windowMs - nowMs) / 1000),
      );
    if (use.active >= this.#limits.perAddress && !this.#evict(address))
      throw tooMany('ip_active_cap', 'Too many open sessions from this address: close one or wait.');
    if (this.#active >= this.#limits.total && !this.#evict(address))
      throw tooMany('global_cap', 'The tool server has reached its session limit.');
    this.#active += 1;
    use.active += 1;
    if (kind === 'session') use.openedAtMs.push(nowMs);
    this.#addresses.set(address, use);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= 1;
      use.active -= 1;
    };
  }

  /** Removes addresses without sessions that opened none within the last minute. */
  sweep(): void {
    const nowMs = this.#now();
    for (const [address, { active, openedAtMs }] of this.#addresses)
      if (active === 0 && nowMs - (openedAtMs.at(-1) ?? Number.NEGATIVE_INFINITY) >= windowMs)
        this.#addresses.delete(address);
  }
}

function tooMany(reason: string, message: string, retryAfter = fullRetrySeconds): RpcRefusal {
  return new RpcRefusal(429, rpcCodes.server, message, { reason, retryAfter });
}
