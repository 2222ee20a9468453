import { ApiError } from '@memrelay/protocol/errors';
import { type BucketSize, createTokenBuckets, type TokenBuckets } from './token-buckets.ts';

export interface KnownKeyBudgetSizes {
  /** Failing requests that name one known key from one address */
  keyRequests: BucketSize;
  /** The same of all known keys from one address */
  addressRequests: BucketSize;
  /** Bytes of bodies of such requests, for one key and for all */
  keyBytes: BucketSize;
  addressBytes: BucketSize;
}

const mib = 1024 * 1024;

/**
 * What requests may cost that name a known key at an address whose own budget is spent. A key is public, so an attacker
 * behind the same address can name a victim's key and have signatures checked in vain (about 0.1 ms each) and bodies
 * read and hashed (about 2 ms a MiB). Both are bounded for each key, and for the address, whichever keys are named: 400
 * requests and 8 MiB a second take some 6 % of one processor.
 *
 * What remains: somebody who sends 100 bad requests a second, without pause, competes with the one key they name for
 * these places, and 400 a second with all keys of the address; it ends within a second of their last request. Refusing
 * that many costs about as much as checking them, so smaller budgets would protect nothing and make that attack cheaper.
 * Bodies are counted as they arrive, so an announced length takes nothing from anyone; and the first 16 KiB of a body
 * are free, so an attacker who uses up the bytes delays large writes only.
 */
const standardSizes: KnownKeyBudgetSizes = {
  keyRequests: { burst: 300, perSecond: 100 },
  addressRequests: { burst: 1_200, perSecond: 400 },
  keyBytes: { burst: 32 * mib, perSecond: 2 * mib },
  addressBytes: { burst: 128 * mib, perSecond: 8 * mib },
};

/** Bytes of a body that count as part of its request */
const freeBytes = 16 * 1024;
/** Pairs of address and key that are remembered */
const maxPairs = 50_000;

export interface KnownKeyBudgets {
  /** Throws `rate_limited`, as `receive` does. */
  take(addressBlock: string, key: string): { receive(bytes: number): void; giveBack(): void };
}

export function createKnownKeyBudgets(
  sizes: Partial<KnownKeyBudgetSizes> | undefined,
  maxBlocks: number,
  now: () => number,
): KnownKeyBudgets {
  const { keyRequests, addressRequests, keyBytes, addressBytes } = { ...standardSizes, ...sizes };
  const requests = [
    createTokenBuckets(keyRequests, maxPairs, now),
    createTokenBuckets(addressRequests, maxBlocks, now),
  ] as const;
  const bytes = [
    createTokenBuckets(keyBytes, maxPairs, now),
    createTokenBuckets(addressBytes, maxBlocks, now),
  ] as const;
  return {
    take(addressBlock, key) {
      const names = [`${addressBlock} ${key}`, addressBlock] as const;
      takeBoth(requests, names, 1);
      let received = 0;
      let charged = 0;
      return {
        receive(more) {
          received += more;
          const due = Math.max(0, received - freeBytes) - charged;
          takeBoth(bytes, names, due);
          charged += due;
        },
        giveBack() {
          for (const [i, name] of names.entries()) {
            requests[i]!.giveBack(name, 1);
            bytes[i]!.giveBack(name, charged);
          }
        },
      };
    },
  };
}

/** From the key's bucket and the address's, or from neither. Throws `rate_limited`. */
function takeBoth(
  [ofKey, ofAddress]: readonly [TokenBuckets, TokenBuckets],
  [pair, address]: readonly [string, string],
  tokens: number,
): void {
  let wait = ofKey.take(pair, tokens);
  if (wait === 0) {
    wait = ofAddress.take(address, tokens);
    if (wait === 0) return;
    ofKey.giveBack(pair, tokens);
  }
  throw new ApiError('rate_limited', { retryAfter: Math.max(1, Math.ceil(wait)) });
}
