import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { WorkerPool } from '../worker-pool.ts';
import type { OpenResult, OpenTask } from './open-tasks.ts';

/** Worker threads that open envelopes, apart from those of Seal, whose tasks take a hundred times as long. */
export class OpenPool {
  readonly #pool: WorkerPool;

  constructor(logger: Logger) {
    const threads = Math.min(8, Math.max(1, availableParallelism() - 1));
    this.#pool = new WorkerPool({
      module: new URL('./open-worker', import.meta.url),
      threads,
      networked: false,
      logger,
    });
  }

  open(task: OpenTask): Promise<OpenResult[]> {
    return this.#pool.run('openEnvelopes', task);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
