import { Worker } from 'node:worker_threads';
import { isOptimizingWasm } from '../../../base/wasm-optimizing.ts';
import { EmbeddingError } from '../embedder.ts';
import type { LocalModel } from './local-model.ts';
import type { ModelReply, ModelRequest, ModelThreadData } from './model-messages.ts';

/**
 * Computes vectors in a separate thread, one text at a time: several texts in one run are not faster on one core, and
 * with 8-bit weights a vector would depend on its neighbours.
 */
export interface ModelThread {
  /**
   * Unit vectors of `prefix + text`, in order; the first failure ends the call. Questions go before documents. Throws
   * `EmbeddingError`, or `signal.reason`.
   */
  embed(call: ModelCall): Promise<Float32Array[]>;
  /** Whether the thread is running */
  readonly running: boolean;
  /** Rejects everything that waits, and ends the thread */
  close(): Promise<void>;
}

export interface ModelCall {
  texts: readonly string[];
  prefix: string;
  isQuery: boolean;
  signal?: AbortSignal | undefined;
}

export interface ModelThreadOptions {
  /** The thread ends after this time without work, which frees its memory */
  idleMs?: number;
  /** A call is rejected if more texts would wait: separately for questions and documents, and never the only call */
  maxWaiting?: number;
  /** A text that takes longer ends the thread */
  timeoutMs?: number;
}

interface Waiting {
  prefix: string;
  text: string;
  resolve(vector: Float32Array): void;
  reject(error: unknown): void;
}

/** Starts the thread with the first text. */
export function createModelThread(model: LocalModel, options: ModelThreadOptions = {}): ModelThread {
  const { idleMs = 60_000, maxWaiting = 5_000, timeoutMs = 60_000 } = options;
  const queues: [queries: Waiting[], documents: Waiting[]] = [[], []];
  let current: { id: number; task: Waiting; timer: NodeJS.Timeout } | undefined;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  let lastId = 0;

  const transient = (message: string): EmbeddingError =>
    new EmbeddingError('transient', `local model: ${message}`);

  /** Ends the thread; the text in progress and all that wait are rejected if there is a reason. */
  async function end(reason?: string): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    if (reason !== undefined) {
      const tasks = [...(current ? [current.task] : []), ...queues.flat()];
      clearTimeout(current?.timer);
      current = undefined;
      for (const queue of queues) queue.length = 0;
      for (const { reject } of tasks) reject(transient(reason));
    }
    await ended?.terminate();
  }

  function begin(): Worker {
    const data: ModelThreadData = { model, optimizesWasm: isOptimizingWasm() };
    const started = new Worker(new URL('./model-worker.ts', import.meta.url), { workerData: data });
    started.unref();
    const lost = (reason: string): void => {
      if (worker === started) void end(reason);
    };
    started.on('message', (message: ModelReply) => {
      if (worker === started) receive(message);
    });
    started.on('error', (error: unknown) => lost(`its thread failed: ${String(error)}`));
    started.on('exit', (code) => lost(`its thread ended with code ${code}`));
    return started;
  }

  function receive(message: ModelReply): void {
    if ('failed' in message) return void end(message.failed);
    if (current?.id !== message.id) return;
    const { task, timer } = current;
    clearTimeout(timer);
    current = undefined;
    if ('vector' in message) task.resolve(message.vector);
    else task.reject(transient(message.error));
    next();
  }

  function next(): void {
    if (current) return;
    const task = queues[0].shift() ?? queues[1].shift();
    clearTimeout(idle);
    if (!task) {
      idle = setTimeout(() => void end(), idleMs).unref();
      return;
    }
    worker ??= begin();
    const id = ++lastId;
    const timer = setTimeout(() => void end(`a text took more than ${timeoutMs} ms`), timeoutMs).unref();
    current = { id, task, timer };
    const request: ModelRequest = { id, prefix: task.prefix, text: task.text };
    worker.postMessage(request);
  }

  return {
    get running() {
      return worker !== undefined;
    },
    async embed({ texts, prefix, isQuery, signal }) {
      signal?.throwIfAborted();
      if (closed) throw transient('it was closed');
      if (texts.length === 0) return [];
      const queue = queues[isQuery ? 0 : 1];
      if (queue.length > 0 && queue.length + texts.length > maxWaiting)
        throw transient(`${queue.length} texts are waiting for it`);
      const own = new Set<Waiting>();
      const aborted = Promise.withResolvers<never>();
      const onAbort = (): void => aborted.reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const all = texts.map(
        (text) =>
          new Promise<Float32Array>((resolve, reject) => {
            const task: Waiting = { prefix, text, resolve, reject };
            own.add(task);
            queue.push(task);
          }),
      );
      next();
      try {
        return await Promise.race([Promise.all(all), aborted.promise]);
      } finally {
        signal?.removeEventListener('abort', onAbort);
        // What is left after a failure or an abort
        queue.splice(0, queue.length, ...queue.filter((task) => !own.has(task)));
      }
    },
    async close() {
      closed = true;
      await end('it was closed');
    },
  };
}
