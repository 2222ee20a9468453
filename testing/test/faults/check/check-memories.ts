import { MemRelayError } from '@memrelay/sdk/errors';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { JobOutcome } from '@memrelay/sdk/types';
import type { Ledger, Written } from '../load/ledger.ts';
import { clientsOf } from '../load/load.ts';
import type { FaultWorld } from '../world/fault-world.ts';
import type { Findings } from './findings.ts';
import { settle } from './settle.ts';

/** More calls at a time would only wait for each other */
const concurrentCalls = 6;

/**
 * Checks as a caller, after the world has settled, that each memory of the ledger has the expected state. `isSampled` selects
 * the memories that are recalled one by one; the lists are always compared with all memories.
 */
export async function checkMemories(
  world: FaultWorld,
  ledger: Ledger,
  isSampled: (one: Written) => boolean,
  findings: Findings,
): Promise<void> {
  for (const [account] of world.owners.entries()) {
    const clients = clientsOf(world, account);
    const mine = ledger.written.filter((one) => one.account === account);
    const outcomes = await outcomesOf(world, clients, ledger, mine, findings);
    const listed = await checkList(clients[0]!, mine, outcomes, findings);
    const sampled = mine.filter(isSampled);
    await eachOf(sampled, (one, i) => checkFound(clients[i % clients.length]!, one, listed, findings));
    await forgetAgain(clients[0]!, mine, ledger, findings);
    for (const client of clients) client.destroy();
  }
}

/** The outcome of every acknowledged job. Failed jobs are retried, because all faults are over. */
async function outcomesOf(
  world: FaultWorld,
  [client]: readonly MemRelay[],
  ledger: Ledger,
  mine: readonly Written[],
  findings: Findings,
): Promise<Map<string, JobOutcome>> {
  const remaining = mine.filter((one) => one.jobId && one.forgotten === 'no');
  const ids = remaining.map(({ jobId }) => jobId!);
  let outcomes = await client!.jobs(ids);
  const failed = outcomes.filter(({ status }) => status === 'failed');
  for (const { jobId, error, errorCode } of failed) {
    if (!errorCode || !error) findings.broken.push(`job ${jobId} failed without a reason`);
    ledger.failed.add(jobId);
    await client!.retryJob(jobId).catch((error: unknown) => {
      // The SDK repeated the call because the response was late: the first call has already retried the job
      if (!(error instanceof MemRelayError) || error.code !== 'job_not_failed') throw error;
    });
  }
  if (failed.length > 0) {
    findings.broken.push(...(await settle(world)));
    outcomes = await client!.jobs(ids);
  }
  findings.acknowledged += remaining.length;
  for (const { jobId, status, blobId, errorCode } of outcomes)
    if (status === 'done' && blobId) findings.done += 1;
    else findings.lost.push(`job ${jobId} is ${status}${errorCode ? ` (${errorCode})` : ''}`);
  return new Map(outcomes.map((outcome) => [outcome.jobId, outcome]));
}

/**
 * Checks that the account's list contains exactly its memories, each once. Returns their blobs by memory id. A blob may differ
 * from the one in the job, because quilts are repacked.
 */
async function checkList(
  client: MemRelay,
  mine: readonly Written[],
  outcomes: ReadonlyMap<string, JobOutcome>,
  findings: Findings,
): Promise<Map<string, string | undefined>> {
  const listed = new Map<string, string | undefined>();
  for await (const { id, blobId, pending } of client.memories({ allNamespaces: true, limit: 100 })) {
    if (listed.has(id)) findings.doubled.push(`${id} is listed twice`);
    if (pending) findings.broken.push(`${id} is pending after everything has settled`);
    listed.set(id, blobId);
  }
  const unknown = new Set(listed.keys());
  for (const one of mine) {
    if (!one.jobId) continue;
    const outcome = outcomes.get(one.jobId);
    if (one.forgotten === 'yes' && listed.has(one.jobId)) findings.undead.push(`${one.jobId} is listed`);
    const isThere = one.forgotten === 'no' && outcome?.status === 'done' && !outcome.deduplicated;
    if (isThere && !listed.has(one.jobId)) findings.lost.push(`${one.jobId} is done but not listed`);
    unknown.delete(one.jobId);
  }
  const unanswered = mine.filter(({ jobId }) => !jobId).length;
  if (unknown.size > unanswered)
    findings.doubled.push(`${unknown.size} listed memories are in no response; ${unanswered} calls had none`);
  return listed;
}

/** The relayer's limit per call */
const idsPerCall = 200;

/** Repeats the calls to forget, which must remove nothing, and collects the objects that the owner may delete by now. */
async function forgetAgain(
  client: MemRelay,
  mine: readonly Written[],
  { namedForDeletion }: Ledger,
  findings: Findings,
): Promise<void> {
  const gone = mine.filter(({ forgotten }) => forgotten === 'yes');
  for (const [namespace, those] of Map.groupBy(gone, (one) => one.namespace))
    for (let at = 0; at < those.length; at += idsPerCall) {
      const ids = those.slice(at, at + idsPerCall).map(({ jobId }) => jobId!);
      const { deleted, blobsToDelete } = await client.forget({ namespace, ids });
      if (deleted > 0) findings.undead.push(`${deleted} of ${namespace} could be forgotten again`);
      for (const object of blobsToDelete) namedForDeletion.add(object);
    }
}

async function checkFound(
  client: MemRelay,
  one: Written,
  listed: ReadonlyMap<string, string | undefined>,
  findings: Findings,
): Promise<void> {
  const blobs = one.manual
    ? await manualBlobs(client, one, one.manual)
    : await textBlobs(client, one, findings);
  const name = `${one.jobId ?? 'an unanswered call'} (${one.kind}, round ${one.round})`;
  if (blobs.length > 1) findings.doubled.push(`${name} is found ${blobs.length} times`);
  if (one.forgotten === 'yes' && blobs.length > 0) findings.undead.push(`${name} is found`);
  if (!one.jobId || one.forgotten !== 'no') return;
  if (blobs.length === 0) findings.lost.push(`${name} is not found`);
  else if (listed.has(one.jobId) && blobs[0] !== listed.get(one.jobId))
    findings.broken.push(
      `${name} is found with a different blob than the listed one: the order was not preserved`,
    );
}

async function textBlobs(
  client: MemRelay,
  one: Written,
  findings: Findings,
): Promise<(string | undefined)[]> {
  const query = one.text.slice(0, 1_000);
  const { results, droppedCount } = await client.recall(query, { namespace: one.namespace, limit: 5 });
  if (droppedCount) findings.broken.push(`${droppedCount} were dropped along with ${one.jobId}`);
  return results.filter(({ text }) => text === one.text).map(({ blobId }) => blobId);
}

/**
 * Largest distance of a vector from itself: it is stored with 16 bits per number. Those of other memories are random, so they
 * are hundreds of times as far away.
 */
const roundingDistance = 1e-3;

/** Recalls a manual memory by its vector. No other memory has this vector, so only this one is at distance 0. */
async function manualBlobs(
  client: MemRelay,
  { namespace }: Written,
  { vector }: NonNullable<Written['manual']>,
): Promise<string[]> {
  const { results } = await client.recallManual({ vector, namespace, limit: 5 });
  return results.filter(({ distance }) => distance < roundingDistance).map(({ blobId }) => blobId);
}

async function eachOf<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: concurrentCalls }, worker));
}
