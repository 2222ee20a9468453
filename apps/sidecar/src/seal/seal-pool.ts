import { availableParallelism } from 'node:os';
import { noTracing, type Tracing } from '@memrelay/process/tracing';
import type { Logger } from 'pino';
import type { PoolLoad } from '../base/prometheus.ts';
import { WorkerPool } from '../base/worker-pool.ts';
import type { UnwrapResult, UnwrapTask, VerifyTask, WrapOutcome, WrapTask } from './seal-tasks.ts';

const workerModule = new URL('./seal-worker.ts', import.meta.url);

/** Worker threads for Seal's arithmetic: 20–45 ms per key would block the event loop. */
export class SealPool {
  readonly #pool: WorkerPool;
  readonly #tracing: Tracing;

  constructor(options: { logger?: Logger; tracing?: Tracing; threads?: number; module?: URL } = {}) {
    const threads = options.threads ?? Math.min(8, Math.max(2, availableParallelism() - 1));
    const { module = workerModule, logger, tracing = noTracing } = options;
    this.#tracing = tracing;
    this.#pool = new WorkerPool({ module, threads, networked: true, logger });
  }

  wrapKey(task: WrapTask): Promise<WrapOutcome> {
    return this.#pool.run('wrapKey', task);
  }

  unwrapKeys(task: UnwrapTask): Promise<UnwrapResult[]> {
    // Its calls to key servers are made in another thread
    return this.#tracing.span('seal unwrap_keys', { attributes: { keys: task.items.length } }, () =>
      this.#pool.run('unwrapKeys', task),
    );
  }

  verifyKeyServers(task: VerifyTask): Promise<void> {
    return this.#pool.run('verifyKeyServers', task);
  }

  get load(): PoolLoad {
    return this.#pool.load;
  }

  /** Stops the threads; unfinished tasks are rejected. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
