import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { PoolLoad } from '../base/prometheus.ts';
import { WorkerPool } from '../base/worker-pool.ts';
import type { OpenItem, OpenResult, OpenTask } from './open-tasks.ts';
import { openEnvelopes } from './open-worker.ts';

/** A thread opens at most this many bytes before it starts the next task */
const pieceBytes = 1024 * 1024;

/** Largest batch that is opened in this thread. It takes about 2 ms, less than passing it to another thread. */
const inline = { envelopes: 16, bytes: 64 * 1024 };

function isSmall(envelopes: readonly OpenItem[]): boolean {
  return (
    envelopes.length <= inline.envelopes &&
    envelopes.reduce((sum, { envelope }) => sum + envelope.bytes.byteLength, 0) <= inline.bytes
  );
}

/** The envelopes of the first piece, at least one. */
function firstPiece(envelopes: readonly OpenItem[]): readonly OpenItem[] {
  let bytes = 0;
  const end = envelopes.findIndex((item, i) => {
    bytes += item.envelope.bytes.byteLength;
    return i > 0 && bytes > pieceBytes;
  });
  return end < 0 ? envelopes : envelopes.slice(0, end);
}

/** Worker threads that open envelopes. Seal has its own threads, because its tasks take a hundred times as long. */
export class OpenPool {
  readonly #pool: WorkerPool;

  constructor(logger: Logger) {
    const threads = Math.min(2, Math.max(1, availableParallelism() - 1));
    this.#pool = new WorkerPool({
      module: new URL('./open-worker.ts', import.meta.url),
      threads,
      networked: false,
      logger,
    });
  }

  /**
   * Opens a small batch at once, a large one in pieces in the threads, so that other requests do not have to wait for all
   * of it.
   */
  async open({ keys, trustedSigners, envelopes }: OpenTask): Promise<OpenResult[]> {
    if (isSmall(envelopes)) return openEnvelopes({ keys, trustedSigners, envelopes });
    const results: OpenResult[] = [];
    for (let rest = envelopes; rest.length > 0; ) {
      const piece = firstPiece(rest);
      rest = rest.slice(piece.length);
      results.push(
        ...(await this.#pool.run<OpenResult[]>('openEnvelopes', { keys, trustedSigners, envelopes: piece })),
      );
    }
    return results;
  }

  get load(): PoolLoad {
    return this.#pool.load;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
