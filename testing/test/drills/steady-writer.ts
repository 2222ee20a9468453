import type { MemRelay } from '@memrelay/sdk/mem-relay';

/** A memory whose write was acknowledged. */
export interface Acknowledged {
  text: string;
  namespace: string;
  jobId: string;
  /** The writer saw its job end as done */
  stored: boolean;
}

/** An app that writes one memory after the other until it is stopped. */
export interface SteadyWriter {
  readonly acknowledged: readonly Acknowledged[];
  /** Resolves when this many writes were acknowledged, or rejects when writing has failed */
  reached(count: number): Promise<void>;
  /** From now on, failures are expected; resolves when the app has ended */
  stop(): Promise<void>;
}

/** Few enough that one recall returns a whole namespace */
const perNamespace = 40;

export function startSteadyWriter(client: MemRelay): SteadyWriter {
  const acknowledged: Acknowledged[] = [];
  const waiting = new Set<{ count: number; done: () => void; fail: (error: unknown) => void }>();
  const uploads: Promise<void>[] = [];
  let stopping = false;

  async function write(): Promise<void> {
    for (let i = 0; !stopping; i++) {
      const text = `Sentence ${i} of the drill, ${((i + 1) * 7_919).toString(36)}.`;
      const namespace = `drill ${Math.floor(i / perNamespace)}`;
      const { jobId } = await client.remember(text, { namespace });
      const memory: Acknowledged = { text, namespace, jobId, stored: false };
      acknowledged.push(memory);
      uploads.push(
        client.waitForJob(jobId).then(
          () => {
            memory.stored = true;
          },
          () => undefined,
        ),
      );
      for (const each of waiting) if (acknowledged.length >= each.count) each.done();
    }
  }
  const writing = write().catch((error: unknown) => {
    if (stopping) return;
    for (const each of waiting) each.fail(error);
    throw error;
  });
  writing.catch(() => undefined);
  return {
    acknowledged,
    async reached(count) {
      if (acknowledged.length >= count) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const each = { count, done: resolve, fail: reject };
      waiting.add(each);
      await Promise.race([promise, writing]);
      waiting.delete(each);
    },
    async stop() {
      stopping = true;
      client.destroy();
      await writing.catch(() => undefined);
      await Promise.all(uploads);
    },
  };
}
