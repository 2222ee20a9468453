import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { countStored, followJobs } from '@memrelay/import-files/follow-jobs';
import { toHex } from '@memrelay/protocol/bytes';
import { importBundle } from '@memrelay/sdk/bundle/import-bundle';
import { type Bundle, openBundle } from '@memrelay/sdk/bundle/open-bundle';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { fileBytes } from '../bundle/bundle-file.ts';
import { type PassphraseOption, readPassphrase } from '../bundle/passphrase.ts';
import { type ConnectOptions, withClient } from '../client/connect.ts';
import { runResumable } from '../client/resumable.ts';
import { beginJournal, type ImportJournal, journalPath, openJournal } from '../import/import-journal.ts';
import { progressText } from '../import/progress-text.ts';
import { systemPaths } from '../system/system-paths.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { printFailures } from '../terminal/failure-list.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/plain-text.ts';

export interface ImportBundleOptions extends ConnectOptions, PassphraseOption {
  wait: boolean;
  /** Whether to trust memories signed by the bundle's own writers; the holder of the passphrase vouches for them */
  bundleWriters: boolean;
}

/** Long enough to continue after a restart of the relayer, or after the long pauses that a busy one requests. */
const patience = { retryForMs: 15 * 60_000 };

interface Outcome {
  total: number;
  accepted: number;
  stored: number;
  known: number;
  unverified: number;
  failures: { id: string; reason: string }[];
}

/** Stores the memories of a bundle. Nothing is sent before the whole file was read and verified. */
export async function importBundleFile(
  output: Output,
  path: string,
  options: ImportBundleOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  // Fail at once if the credentials are refused or the relayer does not respond, not after the long retries of the
  // import.
  await withClient(options, ({ client }) => client.account());
  const passphrase = await readPassphrase(output, options, { twice: false });
  output.step('Reading the bundle');
  const bundle = await openBundle(() => fileBytes(path), passphrase, nodePrimitives);
  output.done();
  output.line(
    `${counted(bundle.memories, 'memory', 'memories')} of account ${bundle.start.account_id}, exported on ${bundle.start.created_at.slice(0, 10)}.`,
  );
  await runResumable(
    output,
    { connect: options, ...patience },
    async ({ client, serverUrl, credentials, signal }) => {
      let journal: ImportJournal | undefined;
      try {
        const directory = systemPaths(dataDir(environment)).imports;
        const { accountId } = credentials;
        const place = { content: toHex(bundle.header), serverUrl, accountId, namespace: 'bundle' };
        const journalFile = journalPath(directory, place);
        journal = await openJournal(journalFile);
        if (journal.ended) {
          await journal.close();
          journal = await beginJournal(journalFile, undefined);
        }
        output.step('Importing');
        const outcome = await run(output, client, bundle, journal, options, signal);
        output.done();
        report(output, outcome, options.wait);
      } finally {
        await journal?.close();
      }
    },
  );
}

async function run(
  output: Output,
  client: MemRelay,
  bundle: Bundle,
  journal: ImportJournal,
  { wait, bundleWriters }: ImportBundleOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome: Outcome = {
    total: bundle.memories,
    accepted: 0,
    stored: 0,
    known: 0,
    unverified: 0,
    failures: [],
  };
  const text = progressText(wait);
  const show = (): void => {
    text.update({ ...outcome, failed: outcome.failures.length + outcome.unverified });
    output.progress(text.render);
  };
  const idOfJob = new Map<string, string>();
  const follower = followJobs(
    client,
    (job) => {
      if (!countStored(outcome, job))
        outcome.failures.push({
          id: idOfJob.get(job.jobId) ?? job.jobId,
          reason: job.error ?? 'The relayer does not know this job any more.',
        });
      show();
    },
    signal,
  );
  const accept = (jobIds: readonly string[]): void => {
    outcome.accepted += jobIds.length;
    if (wait) follower.add(jobIds);
    show();
  };
  const earlier = [...journal.acknowledged.values()].flat();
  if (earlier.length > 0) {
    output.line(
      `Resuming an interrupted import: ${counted(earlier.length, 'memory is', 'memories are')} already accepted.`,
    );
    accept(earlier);
  }
  const parts = importBundle(client, bundle, {
    signal,
    primitives: nodePrimitives,
    skip: new Set(journal.acknowledged.keys()),
    ...(bundleWriters ? {} : { trustedWriters: [] }),
  });
  for await (const { no, memories } of parts) {
    const jobIds: string[] = [];
    let refused = false;
    for (const { id, result } of memories) {
      if (result.status === 'running') {
        jobIds.push(result.jobId);
        idOfJob.set(result.jobId, id);
      } else if (result.status === 'known') {
        outcome.stored++;
        outcome.known++;
        outcome.accepted++;
      } else {
        refused = true;
        if (result.status === 'unverified') outcome.unverified++;
        else outcome.failures.push({ id, reason: result.reason });
      }
    }
    // A request with a refused memory is not recorded, so that it is sent again; its other memories are deduplicated
    // then
    if (!refused) await journal.acknowledge(no, jobIds);
    accept(jobIds);
  }
  follower.noMore();
  await follower.finished;
  if (wait) await journal.end([]);
  return outcome;
}

function report(output: Output, outcome: Outcome, wait: boolean): void {
  const { total, accepted, stored, known, unverified, failures } = outcome;
  output.result({
    total,
    accepted,
    ...(wait ? { stored } : {}),
    known,
    unverified,
    failed: failures,
  });
  output.line(
    wait
      ? `${stored} of ${counted(total, 'memory', 'memories')} stored, ${known} of them known already.`
      : `${accepted} of ${total} are accepted; storing continues in the background.`,
  );
  if (unverified > 0)
    output.line(
      `${counted(unverified, 'memory was', 'memories were')} not imported: signed by keys that this account does not trust.`,
    );
  if (failures.length > 0) output.line(`${failures.length} failed:`);
  printFailures(
    output,
    failures.map(({ id, reason }) => ({ name: id, reason })),
  );
  const missing = failures.length + unverified;
  if (missing > 0)
    throw new ExitError(
      exitCodes.failed,
      `${counted(missing, 'memory was', 'memories were')} not stored. Run the same command again to retry.`,
    );
}
