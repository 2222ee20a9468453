import type { Bucket } from '../../storage/s3/bucket.ts';
import { StorageUnavailableError } from '../../storage/storage.ts';
import { RegistryUnavailableError } from '../blob-registry.ts';
import { epochAt } from '../epoch-clock.ts';

/** Epochs that are the same for all instances on a bucket. Both methods throw `RegistryUnavailableError`. */
export interface BucketEpochs {
  now(): Promise<number>;
  /** Advances the epoch for all instances. Two concurrent calls advance it once. */
  advance(by: number): Promise<number>;
}

export interface BucketEpochsOptions {
  bucket: Bucket;
  /** Null if epochs are only advanced manually */
  durationMs: number | null;
  /** Milliseconds since 1970 */
  now: () => number;
}

const prefix = 'epochs/';
/** How long an instance may miss a manual advance by another instance, in milliseconds. */
const freshMs = 1000;

/**
 * Epochs are counted from 1970, so that all instances agree on the start. Each manual advance adds a key with the
 * sum of all advances so far.
 */
export function openBucketEpochs({ bucket, durationMs, now }: BucketEpochsOptions): BucketEpochs {
  let moved = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reached = 0;

  function keyOf(sum: number): string {
    return `${prefix}${String(sum).padStart(12, '0')}`;
  }

  async function readMoves(): Promise<void> {
    const startedAtMs = performance.now();
    for await (const page of bucket.list(prefix, keyOf(moved))) {
      for (const { key } of page) moved = Math.max(moved, Number(key.slice(prefix.length)) || 0);
    }
    readAtMs = startedAtMs;
  }

  async function asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error;
      throw new RegistryUnavailableError('the epochs bucket does not respond', { cause: error });
    }
  }

  /** A clock that is set back must not revive expired objects. */
  function current(): number {
    reached = Math.max(reached, epochAt({ epoch: 1, startedAtMs: 0, durationMs }, now()) + moved);
    return reached;
  }

  return {
    async now() {
      if (performance.now() - readAtMs > freshMs) await asking(readMoves);
      return current();
    },
    async advance(by) {
      await asking(async () => {
        await readMoves();
        await bucket.put(keyOf(moved + by), '');
        await readMoves();
      });
      return current();
    },
  };
}
