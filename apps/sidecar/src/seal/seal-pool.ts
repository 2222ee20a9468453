import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import type { UnwrapResult, UnwrapTask, VerifyTask, WrapOutcome, WrapTask } from './seal-tasks.ts';

/** Tasks wait for the network half of their time, so a thread takes several. */
const tasksPerThread = 32;
const maxWaiting = 1000;

/** `.ts` when run from source, `.js` when built */
const workerFile = new URL(`./seal-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url).href;

/** Worker threads for Seal's arithmetic: 20–45 ms a key that the event loop must not pay. */
export class SealPool {
  readonly #options: { threads: number; workerFile: string; logger?: Logger };
  #pool: Piscina;
  #closed = false;

  constructor(options: { logger?: Logger; threads?: number; workerFile?: string } = {}) {
    const threads = options.threads ?? Math.min(8, Math.max(2, availableParallelism() - 1));
    this.#options = { workerFile, ...options, threads };
    this.#pool = this.#start();
  }

  wrapKey(task: WrapTask): Promise<WrapOutcome> {
    return this.#run('wrapKey', task);
  }

  unwrapKeys(task: UnwrapTask): Promise<UnwrapResult[]> {
    return this.#run('unwrapKeys', task);
  }

  verifyKeyServers(task: VerifyTask): Promise<void> {
    return this.#run('verifyKeyServers', task);
  }

  /** Ends the threads; tasks that are not done are rejected. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#pool.destroy();
  }

  async #run<T>(name: string, task: unknown): Promise<T> {
    if (this.#pool.queueSize >= maxWaiting) throw new ApiError('overloaded');
    try {
      return await this.#pool.run(task, { name });
    } finally {
      this.#replaceDeadPool();
    }
  }

  #start(): Piscina {
    const { threads, workerFile: filename, logger } = this.#options;
    const pool = new Piscina({
      filename,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: tasksPerThread,
      maxQueue: maxWaiting,
      // A thread that blocks while idle would not notice that a key server closed a kept connection.
      atomics: 'disabled',
    });
    pool.on('error', (error) => {
      logger?.error({ err: error }, 'a Seal worker thread failed');
      this.#replaceDeadPool();
    });
    return pool;
  }

  /** Piscina starts no more threads after one failed to load; without any, tasks would wait for ever. */
  #replaceDeadPool(): void {
    const pool = this.#pool;
    if (this.#closed || pool.threads.length > 0) return;
    this.#pool = this.#start();
    void pool.destroy();
  }
}
