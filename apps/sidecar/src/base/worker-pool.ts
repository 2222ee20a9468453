import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import type { PoolLoad } from './prometheus.ts';

const maxWaiting = 1_000;

/** A thread needs 20 to 40 MB, and a tenth of a second to start. */
const idleTimeoutMs = 60_000;

export interface WorkerPoolOptions {
  /** URL of the thread's module */
  module: URL;
  /** At most: each starts when it is needed, and ends after a minute without work */
  threads: number;
  /** Whether tasks spend about half of their time waiting for the network; each thread then runs several at once */
  networked: boolean;
  logger?: Logger | undefined;
}

/** Threads that run the exported functions of a module. Rejects tasks with `overloaded` when too many are waiting. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  #pool: Piscina;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#pool = this.#start();
  }

  /** Runs the exported function `name`. Throws its errors. */
  async run<T>(name: string, task: unknown): Promise<T> {
    if (this.#pool.queueSize >= maxWaiting) throw new ApiError('overloaded');
    try {
      return await this.#pool.run(task, { name });
    } finally {
      this.#replaceDeadPool();
    }
  }

  /** Its threads, and the tasks that wait for one */
  get load(): PoolLoad {
    return { threads: this.#pool.threads.length, waiting: this.#pool.queueSize };
  }

  /** Stops the threads; unfinished tasks are rejected. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#pool.destroy();
  }

  #start(): Piscina {
    const { module, threads, networked, logger } = this.#options;
    const tasksPerThread = networked ? 32 : 1;
    const pool: Piscina = new Piscina({
      filename: module.href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idleTimeoutMs,
      concurrentTasksPerWorker: tasksPerThread,
      // An idle thread, else a new one (null), else the one with the fewest tasks. By default Piscina starts a second thread
      // only when the first one has all the tasks that it can take.
      loadBalancer(_task, ready) {
        const [best] = ready.toSorted((a, b) => a.currentUsage - b.currentUsage);
        if (!best || best.currentUsage === 0) return best ?? null;
        return pool.threads.length < threads || best.currentUsage >= tasksPerThread ? null : best;
      },
      maxQueue: maxWaiting,
      // A thread that blocks while idle would not notice that a server closed a keep-alive connection
      atomics: networked ? 'disabled' : 'sync',
    });
    pool.on('error', (error) => {
      logger?.error({ err: error }, 'a worker thread failed');
      this.#replaceDeadPool();
    });
    return pool;
  }

  /** Piscina starts no threads after one failed to load; without any thread, waiting tasks would wait forever. */
  #replaceDeadPool(): void {
    const pool = this.#pool;
    if (this.#closed || pool.threads.length > 0) return;
    this.#pool = this.#start();
    void pool.destroy();
  }
}
