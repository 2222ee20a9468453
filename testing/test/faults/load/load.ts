import { setTimeout as pause } from 'node:timers/promises';
import { MemRelayError } from '@memrelay/sdk/errors';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { between, type Random, seededRandom } from '../../../src/seeded-random.ts';
import type { FaultWorld } from '../world/fault-world.ts';
import { countError, type Ledger, type Written } from './ledger.ts';

/** Apps that continuously write, read and forget, each for one account at both relayers. */
export interface Load {
  /** Stops starting calls, and waits until calls in progress have ended or were aborted */
  stop(): Promise<void>;
}

export interface LoadOptions {
  world: FaultWorld;
  ledger: Ledger;
  round: number;
  seed: number;
  /** A word that every text contains */
  canary: string;
  /** Maximum number of memories */
  budget: number;
}

const namespaces = ['work', 'home'] as const;
/** A separate namespace for bytes that only their writer can read, because a recall by text would count them as dropped */
const manualNamespace = 'sealed';
/** How long an app that gets no response retries with the same idempotency key */
const patienceMs = 90_000;
const attemptMs = 10_000;

export function startLoad(options: LoadOptions): Load {
  const { world } = options;
  const stopping = new AbortController();
  const shared = { ...options, left: options.budget, stopping: stopping.signal };
  const apps = world.owners.map((_, account) =>
    runApp(account, shared, seededRandom(options.seed * 31 + account)),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(apps);
    },
  };
}

interface Shared extends LoadOptions {
  left: number;
  stopping: AbortSignal;
}

/** One client per relayer, because a client corrects its clock by that of its relayer. */
export function clientsOf({ owners, relayers }: FaultWorld, account: number): MemRelay[] {
  return relayers.map(({ url }) => owners[account]!.client(url, { timeoutMs: attemptMs, maxAttempts: 2 }));
}

async function runApp(account: number, shared: Shared, random: Random): Promise<void> {
  const clients = clientsOf(shared.world, account);
  const { ledger, stopping } = shared;

  /** Repeats the call until a relayer responds. Undefined if none does within `patienceMs`. */
  async function untilAnswered<T>(
    what: string,
    call: (client: MemRelay) => Promise<T>,
  ): Promise<T | undefined> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      try {
        return await call(clients[between(random, 0, clients.length - 1)]!);
      } catch (error) {
        if (!(error instanceof MemRelayError)) throw error;
        countError(ledger, error.code);
        // The SDK learns the time of its relayer. That does not help when the clock jumps back during the call, nor
        // with the key servers
        const isAboutTime = ['timestamp_out_of_window', 'decrypt_denied'].includes(error.code);
        const passes = error.retryable || (isAboutTime && Date.now() < shared.world.clock.wrongUntil);
        if (!passes) {
          const { job_id: jobId } = (error.details ?? {}) as { job_id?: string };
          if (error.code === 'store_rejected' && jobId) throw new EndedBadly(jobId);
          ledger.broken.push(`${what} returned ${error.status} ${error.code}: ${error.message}`);
          return undefined;
        }
        await pause(100 + random() * 400);
      }
    }
    return undefined;
  }

  function write(kind: Written['kind'], text: string): Written {
    const namespace =
      kind === 'manual' ? manualNamespace : namespaces[between(random, 0, namespaces.length - 1)]!;
    const { round } = shared;
    const one: Written = {
      account,
      namespace,
      kind,
      text,
      round,
      jobId: undefined,
      forgotten: 'no',
      repeated: false,
      manual: undefined,
    };
    ledger.written.push(one);
    return one;
  }

  async function remember(): Promise<void> {
    const known = mine().filter(({ kind }) => kind !== 'manual');
    const before = random() < 0.1 ? known[between(random, 0, known.length - 1)] : undefined;
    const one = write('remember', before?.text ?? textOf(shared, random));
    if (before) {
      one.namespace = before.namespace;
      one.repeated = before.repeated = true;
    }
    const idempotencyKey = key(random);
    const { namespace } = one;
    const accepted = await untilAnswered('remember', (client) =>
      client.remember(one.text, { namespace, idempotencyKey }),
    );
    one.jobId = accepted?.jobId;
  }

  async function rememberBulk(): Promise<void> {
    const items = Array.from({ length: between(random, 2, 6) }, () => write('bulk', textOf(shared, random)));
    shared.left -= items.length - 1;
    const idempotencyKey = key(random);
    const accepted = await untilAnswered('bulk', (client) =>
      client.rememberBulk(
        items.map(({ text, namespace }) => ({ text, namespace })),
        { idempotencyKey },
      ),
    );
    if (!accepted) return;
    for (const [i, item] of items.entries()) item.jobId = accepted.jobIds[i];
    ledger.bulks.push(items);
  }

  async function rememberManual(): Promise<void> {
    const text = textOf(shared, random);
    const one = write('manual', text);
    const manual = {
      bytes: Uint8Array.from(
        Array.from({ length: between(random, 100, 3_000) }, () => between(random, 0, 255)),
      ),
      vector: Array.from({ length: shared.world.dimension }, () => random() - 0.5),
    };
    one.manual = manual;
    const { namespace } = one;
    const idempotencyKey = key(random);
    try {
      const stored = await untilAnswered('manual', (client) =>
        client.rememberManual({
          encryptedData: manual.bytes,
          vector: manual.vector,
          namespace,
          idempotencyKey,
          opaque: true,
        }),
      );
      one.jobId = stored?.id;
    } catch (error) {
      if (!(error instanceof EndedBadly)) throw error;
      one.jobId = error.jobId;
    }
  }

  const mine = (): Written[] =>
    ledger.written.filter((one) => one.account === account && one.jobId && one.forgotten === 'no');

  async function recall(): Promise<void> {
    const known = mine().filter(({ kind }) => kind !== 'manual');
    const one = known[between(random, 0, known.length - 1)];
    if (!one) return;
    const recalled = await untilAnswered('recall', (client) =>
      client.recall(one.text.slice(0, 1_000), { namespace: one.namespace, limit: 5 }),
    );
    const times = recalled?.results.filter(({ text }) => text === one.text).length ?? 0;
    if (times > 1) ledger.broken.push(`recall returned one memory ${times} times`);
  }

  async function forget(): Promise<void> {
    const known = mine().filter(({ repeated }) => !repeated);
    const one = known[between(random, 0, known.length - 1)];
    if (!one) return;
    one.forgotten = 'asked';
    const { namespace, jobId } = one;
    const gone = await untilAnswered('forget', (client) => client.forget({ namespace, ids: [jobId!] }));
    if (!gone) return;
    one.forgotten = 'yes';
    for (const object of gone.blobsToDelete) ledger.namedForDeletion.add(object);
  }

  const kinds = [
    { upTo: 0.45, run: remember, writes: true },
    { upTo: 0.6, run: rememberBulk, writes: true },
    { upTo: 0.7, run: rememberManual, writes: true },
    { upTo: 0.92, run: recall, writes: false },
    { upTo: 1, run: forget, writes: false },
  ];
  while (!stopping.aborted) {
    const drawn = random();
    const { run, writes } = kinds.find(({ upTo }) => drawn < upTo)!;
    if (writes && shared.left <= 0) {
      await recall();
    } else {
      if (writes) shared.left -= 1;
      await run();
    }
    await pause(20 + random() * 80);
  }
  for (const client of clients) client.destroy();
}

/** The job of a manual call has failed. Its writer knows the job and can retry it. */
class EndedBadly extends Error {
  readonly jobId: string;
  constructor(jobId: string) {
    super('the job failed');
    this.jobId = jobId;
  }
}

const word = (random: Random): string => Math.floor(random() * 2 ** 32).toString(36);
const key = (random: Random): string => Array.from({ length: 4 }, () => word(random)).join('-');

/** Each text is different; some have pages, which are embedded in several chunks. */
function textOf({ canary }: LoadOptions, random: Random): string {
  const words = random() < 0.03 ? between(random, 800, 1_500) : between(random, 4, 40);
  return `${canary} ${Array.from({ length: words }, () => word(random)).join(' ')}`;
}
