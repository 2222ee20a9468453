import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';

const maxWaiting = 1_000;

export interface WorkerPoolOptions {
  /** URL of the thread's module */
  module: URL;
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

  /** Stops the threads; unfinished tasks are rejected. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#pool.destroy();
  }

  #start(): Piscina {
    const { module, threads, networked, logger } = this.#options;
    const pool = new Piscina({
      filename: module.href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: networked ? 32 : 1,
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

  /** Piscina starts no threads after one failed to load; without any thread, tasks would wait forever. */
  #replaceDeadPool(): void {
    const pool = this.#pool;
    if (this.#closed || pool.threads.length > 0) return;
    this.#pool = this.#start();
    void pool.destroy();
  }
}
