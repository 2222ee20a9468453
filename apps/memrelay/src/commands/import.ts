import { defaultNamespace } from '@memrelay/protocol/limits';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { isBundleFile } from '../bundle/bundle-file.ts';
import type { PassphraseOption } from '../bundle/passphrase.ts';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { type ResumableRun, runResumable } from '../client/resumable.ts';
import { beginJournal, type ImportJournal, journalPath, openJournal } from '../import/import-journal.ts';
import { progressText } from '../import/progress-text.ts';
import { type FileContent, readMemories } from '../import/read-memories.ts';
import { type FailedMemory, type ImportProgress, runImport } from '../import/run-import.ts';
import { systemPaths } from '../system/system-paths.ts';
import { duration } from '../terminal/durations.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { printFailures } from '../terminal/failure-list.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/plain-text.ts';
import { readText } from '../terminal/read-text.ts';

export interface ImportOptions extends ConnectOptions, NamespaceOption, PassphraseOption {
  wait: boolean;
  bundleWriters: boolean;
  again?: boolean;
}

/** An import rides out a restart of the relayer (a minute and a half) and the long pauses that a busy one asks for. */
const patience = { retryForMs: 15 * 60_000, interrupted: 'Interrupted.' };

/** Stores every memory of a file, be it text, chat or a bundle, and goes on where an earlier run was interrupted. */
export async function importFile(
  output: Output,
  path: string,
  options: ImportOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (await isBundleFile(path))
    return (await import('./import-bundle.ts')).importBundleFile(output, path, options, environment);
  const content = await readText(path);
  const file = readMemories(path, content);
  // Refused credentials or a silent relayer show now, not after the patience of the import.
  await withClient(options, ({ client }) => client.account());
  await runResumable(output, { connect: options, ...patience }, (run) =>
    importText(output, { content, file }, options, environment, run),
  );
}

async function importText(
  output: Output,
  { content, file }: { content: string; file: FileContent },
  options: ImportOptions,
  environment: NodeJS.ProcessEnv,
  { client, serverUrl, credentials, signal }: ResumableRun,
): Promise<void> {
  const namespace = options.namespace ?? defaultNamespace;
  let journal: ImportJournal | undefined;
  let last: ImportProgress = { total: file.memories.length, accepted: 0, stored: 0, known: 0, failed: 0 };
  try {
    const { accountId } = credentials;
    const directory = systemPaths(dataDir(environment)).imports;
    journal = await openFor(journalPath(directory, { content, serverUrl, accountId, namespace }), options);
    if (journal.ended) return reportEarlier(output, journal.ended.at, file, namespace);
    const resumed = [...journal.acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);
    if (resumed > 0)
      output.line(
        `Resuming an interrupted import: ${counted(resumed, 'memory is', 'memories are')} already accepted.`,
      );
    output.step(
      `Importing ${counted(journal.only?.length ?? file.memories.length, 'memory', 'memories')} into namespace "${namespace}"`,
    );
    const text = progressText(options.wait);
    const started = performance.now();
    const failed = await runImport({
      client,
      memories: file.memories,
      namespace,
      journal,
      wait: options.wait,
      signal,
      onProgress(progress) {
        last = progress;
        text.update(progress);
        output.progress(text.render);
      },
    });
    output.done();
    report(output, {
      file,
      namespace,
      failed,
      last,
      resumed,
      ms: performance.now() - started,
      wait: options.wait,
    });
  } catch (error) {
    output.abandon();
    if (journal) output.line(howFar(last));
    throw error;
  } finally {
    await journal?.close();
  }
}

function howFar({ accepted, total }: ImportProgress): string {
  return accepted < total
    ? `${accepted} of ${total} were accepted. Run the same command again to continue.`
    : `All ${total} are accepted and will be stored. Run the same command again to see how they end.`;
}

/** The journal to continue: the one there is, or a new one for what failed before or for `--again`. */
async function openFor(path: string, options: ImportOptions): Promise<ImportJournal> {
  const found = await openJournal(path);
  if (!found.ended || (found.ended.failed.length === 0 && !options.again)) return found;
  await found.close();
  return beginJournal(path, options.again ? undefined : found.ended.failed);
}

function reportEarlier(output: Output, at: string, file: FileContent, namespace: string): void {
  output.result({ namespace, total: file.memories.length, stored: 0, earlier_import: at });
  output.line(
    `This file was imported into namespace "${namespace}" on ${at.slice(0, 10)}: nothing to do. --again imports it again.`,
  );
}

interface ImportReport {
  file: FileContent;
  namespace: string;
  failed: readonly FailedMemory[];
  last: ImportProgress;
  /** Accepted in an earlier, interrupted run */
  resumed: number;
  ms: number;
  wait: boolean;
}

function report(output: Output, { file, namespace, failed, last, resumed, ms, wait }: ImportReport): void {
  const failures = [
    ...file.refused.map(({ place, reason }) => ({ place, reason: `not sent: ${reason}` })),
    ...failed.map(({ index, reason }) => ({ place: file.memories[index]!.place, reason })),
  ];
  output.result({
    namespace,
    total: last.total,
    accepted: last.accepted,
    ...(wait ? { stored: last.stored, known: last.known } : {}),
    resumed,
    failed: failures,
    duration_ms: Math.round(ms),
  });
  const rate = ((wait ? last.stored : last.accepted) - resumed) / (ms / 1000);
  output.line(
    `${wait ? last.stored : last.accepted} ${wait ? 'stored' : 'accepted; storing continues in the background'} in ${duration(ms)}${rate > 0 ? ` (${rate.toFixed(0)}/s)` : ''}`,
  );
  if (last.known > 0)
    output.line(
      `${last.known} of them ${last.known === 1 ? 'was' : 'were'} known already: the same text is stored once.`,
    );
  if (failures.length === 0) return;
  output.line(`${failures.length} failed:`);
  printFailures(
    output,
    failures.map(({ place, reason }) => ({ name: place, reason })),
  );
  const again = failed.length > 0 ? ' Run the same command again to try those that were sent.' : '';
  throw new ExitError(
    exitCodes.failed,
    `${counted(failures.length, 'memory was', 'memories were')} not stored.${again}`,
  );
}
