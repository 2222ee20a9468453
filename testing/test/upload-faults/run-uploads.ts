import { setTimeout as pause } from 'node:timers/promises';
import { between, type Random, seededRandom } from '../../src/seeded-random.ts';
import { accountForPayments } from './account-for-payments.ts';
import { checkDone, checkRecall, type StoredJob } from './check-memories.ts';
import { doneCount, type Kill, killDuringUploads, leasedOf, type Victim } from './kills.ts';
import { blobOf, type Drain, type Payments } from './payments.ts';
import { restoreFromChain } from './restore-proof.ts';
import { startUploadWorld, type UploadPath, type UploadWorld } from './upload-world.ts';

export interface UploadRun {
  path: UploadPath;
  memories: number;
  kills: number;
  /** Processes from which each kill chooses one */
  victims: readonly Victim[];
  relayers: number;
  /** Maximum memories per quilt; one blob each when omitted */
  quiltItems?: number;
  /** Frees leases immediately, to save a short run the 15 seconds that jobs of a dead relayer wait */
  freesLeases: boolean;
  /** Number of wallets on the relay path */
  wallets: number;
  /** On the relay path: empties one wallet when half of the memories are done */
  drain: boolean;
  /** Maximum delay of the chain's response to a transaction */
  answerDelayMs: number;
  seed: number;
  onProgress: (line: string) => void;
}

/** The observations of a run; `broken` lists each broken promise. */
export interface UploadResult {
  path: UploadPath;
  seconds: number;
  memories: number;
  done: number;
  recalled: number;
  restored: number;
  /** Number of wraps that the key servers had to open for the restore */
  unwrapped: number;
  kills: { number: number; victim: Victim; at: string; done: number; underWay: number }[];
  drained: { wallet: string; at: string; digest: string } | undefined;
  transactions: number;
  /** Concurrent transactions of one wallet, as seen in front of the chain; the one that emptied it is not counted */
  overlaps: number;
  /** Lines of the relayers' logs in which the chain rejected a wallet's transaction */
  refusals: number;
  ownersObjects: number;
  /** Objects that stayed with a wallet */
  leftInWallets: number;
  payments: Payments;
  broken: string[];
}

const namespace = 'uploads';
const bulkItems = 20;
/** A job whose relayer was killed waits for its lease; five attempts take a minute. */
const finishMs = 240_000;

/** Stores memories while processes are killed, and then checks the result from the outside. */
export async function runUploads(run: UploadRun): Promise<UploadResult> {
  const random = seededRandom(run.seed);
  const started = performance.now();
  const world = await startUploadWorld({
    ...run,
    answerDelayMs: () => random() * run.answerDelayMs,
  });
  try {
    const texts = Array.from({ length: run.memories }, (_, i) => textOf(i, random));
    const jobIds: string[] = [];
    const accept = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left -= bulkItems)
        jobIds.push(
          ...(await acceptSome(world, texts.slice(jobIds.length, jobIds.length + Math.min(left, bulkItems)))),
        );
    };
    const { kills, drain } = await injectKills(world, run, accept);
    await untilFinished(world, run);
    const result = await examine(world, { texts, jobIds, kills, drain });
    return { path: run.path, seconds: Math.round((performance.now() - started) / 1000), ...result };
  } finally {
    await world.close();
  }
}

/** Each text is different and has one line or several pages. */
function textOf(i: number, random: Random): string {
  const words = Array.from({ length: between(random, 1, i % 10 === 0 ? 400 : 20) }, () =>
    Math.floor(random() * 2 ** 32).toString(36),
  );
  return `memory number${i}: ${words.join(' ')}`;
}

async function acceptSome(world: UploadWorld, texts: readonly string[]): Promise<string[]> {
  const client = world.owner.client(world.relayers[0]!.url);
  const { jobIds } = await client.rememberBulk(texts.map((text) => ({ text, namespace })));
  client.destroy();
  return jobIds;
}

async function injectKills(
  world: UploadWorld,
  { memories, kills, victims, freesLeases, drain, path, seed, onProgress }: UploadRun,
  accept: (count: number) => Promise<void>,
): Promise<{ kills: Kill[]; drain: Drain | undefined }> {
  let drained: Drain | undefined;
  const made = await killDuringUploads(world, {
    memories,
    kills,
    victims,
    freesLeases,
    accept,
    // A separate generator, so that the times of kills do not depend on the number of transactions
    random: seededRandom(seed + 1),
    onProgress,
    async atHalf() {
      if (!drain || path !== 'relay') return;
      const wallet = world.wallets[0]!;
      const digest = await world.drain(wallet);
      drained = { wallet, digest, atMs: Date.now() };
      onProgress(`wallet ${wallet} emptied`);
    },
  });
  return { kills: made, drain: drained };
}

async function untilFinished(world: UploadWorld, { memories, onProgress }: UploadRun): Promise<void> {
  let reported = 0;
  for (const deadline = Date.now() + finishMs; Date.now() < deadline; await pause(200)) {
    const { rows } = await world.database.query(
      "SELECT count(*)::int AS left FROM memory_job WHERE status = 'running'",
    );
    if (rows[0].left === 0) return;
    const done = await doneCount(world);
    if (done < reported + 20) continue;
    reported = done;
    onProgress(`${done} of ${memories} done`);
  }
}

interface Story {
  texts: readonly string[];
  jobIds: readonly string[];
  kills: readonly Kill[];
  drain: Drain | undefined;
}

async function examine(
  world: UploadWorld,
  { texts, jobIds, kills, drain }: Story,
): Promise<Omit<UploadResult, 'path' | 'seconds'>> {
  const broken: string[] = [];
  const stored: StoredJob[] = await checkDone(world, jobIds, broken);
  const recalled = await checkRecall(world, namespace, texts, stored, broken);
  const back = await restoreFromChain(world, namespace);
  broken.push(...back.failures);
  const restoredTexts = [...back.texts.values()];
  if (
    restoredTexts.length !== texts.length ||
    restoredTexts.toSorted().join('\n') !== texts.toSorted().join('\n')
  )
    broken.push(
      `${restoredTexts.length} texts were restored from the chain, which differ from the ${texts.length} stored`,
    );
  for (const { jobId, blobId, objectId } of stored)
    if (!back.objects.get(blobOf(blobId))?.includes(objectId))
      broken.push(`job ${jobId}: ${objectId} is not one of its owner's objects of ${blobId}`);
  const { payments, ownersObjects, leftInWallets } = await accountForPayments(world, {
    stored,
    kills,
    drain,
  });
  const logs = world.relayers.map((relayer) => relayer.logs()).join('\n');
  const overlaps = world.watch.overlaps.length;
  if (overlaps > 0)
    broken.push(`${overlaps} transactions were submitted while another of the same wallet was in progress`);
  const refusals = logs.match(/the chain refused a transaction of the wallet/g)?.length ?? 0;
  if (refusals > 0 && !drain) broken.push(`the chain rejected ${refusals} transactions of the wallets`);
  return {
    memories: texts.length,
    done: stored.length,
    recalled,
    restored: restoredTexts.length,
    unwrapped: back.unwrapped,
    kills: kills.map((kill) => ({
      number: kill.number,
      victim: kill.victim,
      at: new Date(kill.atMs).toISOString(),
      done: kill.done,
      underWay: leasedOf(kill),
    })),
    drained: drain && { wallet: drain.wallet, at: new Date(drain.atMs).toISOString(), digest: drain.digest },
    transactions: world.watch.senders.length,
    overlaps,
    refusals,
    ownersObjects,
    leftInWallets,
    payments,
    broken: [...broken, ...payments.broken],
  };
}
