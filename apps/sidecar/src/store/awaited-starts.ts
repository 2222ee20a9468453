import { randomUUID } from 'node:crypto';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { failedUpload } from './upload.ts';

/** Uploads that have reported their blob id and wait for permission to pay. */
export interface AwaitedStarts {
  /** Yields the checkpoints. After `named` it pauses until `begin` is called with the token */
  held(checkpoints: AsyncIterable<UploadCheckpoint>): AsyncGenerator<UploadCheckpoint>;
  /** Returns false if no upload waits for this token any more */
  begin(token: string): boolean;
}

/**
 * Every blob that was paid for must be in the relayer's database, even if a process crashes at any point. Therefore
 * the relayer first records the blob id and then confirms. Without a confirmation within `waitMs` the upload fails
 * before anything is paid.
 */
export function createAwaitedStarts(waitMs = 30_000): AwaitedStarts {
  const waiting = new Map<string, () => void>();

  return {
    async *held(checkpoints) {
      for await (const checkpoint of checkpoints) {
        if (checkpoint.stage !== 'named') {
          yield checkpoint;
          continue;
        }
        const token = randomUUID();
        const { promise, resolve } = Promise.withResolvers<boolean>();
        const timer = setTimeout(resolve, waitMs, false);
        waiting.set(token, () => resolve(true));
        try {
          yield { ...checkpoint, token };
          if (await promise) continue;
        } finally {
          clearTimeout(timer);
          waiting.delete(token);
        }
        yield failedUpload('transient', 'the relayer did not confirm that it recorded the blob id');
        return;
      }
    },
    begin(token) {
      waiting.get(token)?.();
      return waiting.has(token);
    },
  };
}
