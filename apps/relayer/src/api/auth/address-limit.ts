import { ApiError } from '@memrelay/protocol/errors';
import { createGrowingCache } from '../../base/growing-cache.ts';
import { createKnownKeyBudgets, type KnownKeyBudgetSizes } from './known-key-budgets.ts';

/** An admitted request that has not been authenticated yet. */
export interface Admission {
  /** Counts body bytes as they arrive. Throws `rate_limited`. */
  receive(bytes: number): void;
  /** The request failed for a reason that is not the client's fault: refunds its unit */
  giveBack(): void;
  /** The request is authentic: refunds its unit and remembers its credential as known */
  succeed(): void;
}

export interface AddressLimit {
  /**
   * Takes one unit of the address's budget before any expensive work. Only failed and unfinished requests use up the
   * budget. When it is spent, a request with a known credential uses a separate budget of that address and credential.
   * Throws `rate_limited`. `credential`: the public key, or a digest of the bearer token; undefined when there is none.
   */
  take(addressBlock: string, credential: string | undefined): Admission;
}

export interface AddressLimitOptions {
  /** Failed and unfinished requests allowed per minute and address block; default 600 */
  failuresPerMinute?: number | undefined;
  known?: Partial<KnownKeyBudgetSizes> | undefined;
  /** Monotonic clock in ms: setting the system clock back must not lock clients out */
  now?: () => number;
}

interface Window {
  used: number;
  endsAtMs: number;
}

const windowMs = 60_000;
/** Address blocks whose budget is remembered; the least recently used are dropped */
const maxBlocks = 50_000;
/** Known credentials, and how long they stay known after their last success. Each relayer has its own list. */
const maxKnown = 50_000;
const knownMs = 24 * 3_600_000;

/** A budget per minute and address block (security.md, "Requests and sessions"). */
export function createAddressLimit(options: AddressLimitOptions = {}): AddressLimit {
  const { failuresPerMinute = 600, now = () => performance.now() } = options;
  const windows = createGrowingCache<Window>(maxBlocks);
  /** When each credential last succeeded */
  const known = createGrowingCache<number>(maxKnown);
  const budgets = createKnownKeyBudgets(options.known, maxBlocks, now);

  function windowOf(addressBlock: string): Window {
    const nowMs = now();
    const current = windows.get(addressBlock);
    if (current && nowMs < current.endsAtMs) return current;
    const window = { used: 0, endsAtMs: nowMs + windowMs };
    windows.set(addressBlock, window);
    return window;
  }

  return {
    take(addressBlock, credential) {
      const window = windowOf(addressBlock);
      const remember = (): void => {
        if (credential !== undefined) known.set(credential, now());
      };
      if (window.used < failuresPerMinute) {
        window.used += 1;
        const giveBack = (): void => {
          window.used -= 1;
        };
        return {
          receive: () => undefined,
          giveBack,
          succeed() {
            giveBack();
            remember();
          },
        };
      }
      if (credential === undefined || now() - (known.get(credential) ?? -Infinity) > knownMs)
        throw new ApiError('rate_limited', { retryAfter: Math.ceil((window.endsAtMs - now()) / 1000) });
      const admission = budgets.take(addressBlock, credential);
      return {
        ...admission,
        succeed() {
          admission.giveBack();
          remember();
        },
      };
    },
  };
}
