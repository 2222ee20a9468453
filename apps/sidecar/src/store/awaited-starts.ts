import { randomUUID } from 'node:crypto';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';

/** Uploads that have said which blob they are about to store, and wait for leave to pay for it. */
export interface AwaitedStarts {
  /** The checkpoints; after `named` nothing goes on before its token is given to `begin` */
  held(checkpoints: AsyncIterable<UploadCheckpoint>): AsyncGenerator<UploadCheckpoint>;
  /** False when nobody waits for this token any more */
  begin(token: string): boolean;
}

/**
 * A blob that was paid for must stand in the relayer's database whatever dies when. So the relayer writes its name down
 * first and says so; one that says nothing for `waitMs` is dead, and nothing was paid.
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
        yield { stage: 'failed', kind: 'transient', reason: 'nobody wrote down what is to be stored' };
        return;
      }
    },
    begin(token) {
      waiting.get(token)?.();
      return waiting.has(token);
    },
  };
}
