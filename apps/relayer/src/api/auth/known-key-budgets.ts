import { ApiError } from '@memrelay/protocol/errors';
import { type BucketSize, createTokenBuckets, type TokenBuckets } from './token-buckets.ts';

export interface KnownKeyBudgetSizes {
  /** Failed requests with one known key from one address */
  keyRequests: BucketSize;
  /** Failed requests with any known key from one address */
  addressRequests: BucketSize;
  /** Body bytes of these requests: per key, and per address */
  keyBytes: BucketSize;
  addressBytes: BucketSize;
}

const mib = 1024 * 1024;

/**
 * Budgets for requests with a known key from an address whose own budget is spent. Keys are public, so an attacker
 * behind the same address can send a victim's key and make the relayer verify bad signatures (about 0.1 ms each) and
 * read and hash bodies (about 2 ms per MiB). Both are limited per key and per address: 400 requests and 8 MiB per
 * second take about 6 % of one processor.
 *
 * Remaining risk: an attacker who keeps sending 100 bad requests per second with one key competes with that key for its
 * budget, and at 400 per second with all keys of the address. This ends within a second of the last bad request.
 * Refusing a request costs about as much as checking it, so smaller budgets would protect nothing and make the attack
 * cheaper. Body bytes are counted as they arrive, so a large announced length alone uses up nothing. The first 16 KiB
 * of a body are free, so an attacker who uses up the byte budget delays only large writes.
 */
const standardSizes: KnownKeyBudgetSizes = {
  keyRequests: { burst: 300, perSecond: 100 },
  addressRequests: { burst: 1_200, perSecond: 400 },
  keyBytes: { burst: 32 * mib, perSecond: 2 * mib },
  addressBytes: { burst: 128 * mib, perSecond: 8 * mib },
};

/** The first bytes of a body, which do not count against the byte budgets */
const freeBytes = 16 * 1024;
/** Pairs of address and key whose budgets are remembered */
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

/** Takes tokens from both the key's and the address's bucket, or from neither. Throws `rate_limited`. */
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
