import { ApiError } from '@memrelay/protocol/errors';
import { createGrowingCache } from '../../base/growing-cache.ts';
import { createKnownKeyBudgets, type KnownKeyBudgetSizes } from './known-key-budgets.ts';

/** A request that was let in, until it is known whether it is authentic. */
export interface Admission {
  /** Counts bytes of its body as they arrive. Throws `rate_limited`. */
  receive(bytes: number): void;
  /** The request failed for a reason that is not the client's: it costs the budget nothing */
  giveBack(): void;
  /** The request is authentic: it costs the budget nothing, and its credential is known from now on */
  succeed(): void;
}

export interface AddressLimit {
  /**
   * Takes one unit of the address's budget before any costly work; only requests that fail, and those under way, use it
   * up. When it is spent, a request that names a known credential goes on under a budget of that address and credential.
   * Throws `rate_limited`. `credential`: the public key, or a digest of a bearer; undefined when there is none.
   */
  take(addressBlock: string, credential: string | undefined): Admission;
}

export interface AddressLimitOptions {
  /** Requests of one address block that may fail, or be under way, in a minute; default 600 */
  failuresPerMinute?: number | undefined;
  known?: Partial<KnownKeyBudgetSizes> | undefined;
  /** Milliseconds of a clock that does not jump: no client is locked out by one that was set back */
  now?: () => number;
}

interface Window {
  used: number;
  endsAtMs: number;
}

const windowMs = 60_000;
/** Address blocks whose budget is remembered; the longest unused are forgotten */
const maxBlocks = 50_000;
/** Credentials that are known, and for how long after their last success: each relayer learns them for itself */
const maxKnown = 50_000;
const knownMs = 24 * 3_600_000;

/** A budget per minute and address block (security.md, "Requests and sessions"). */
export function createAddressLimit(options: AddressLimitOptions = {}): AddressLimit {
  const { failuresPerMinute = 600, now = () => performance.now() } = options;
  const windows = createGrowingCache<Window>(maxBlocks);
  /** When each of them last succeeded */
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
