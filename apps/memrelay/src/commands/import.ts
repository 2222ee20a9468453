import type { FileContent } from '@memrelay/import-files/read-memories';
import { type FailedMemory, type ImportProgress, runImport } from '@memrelay/import-files/run-import';
import type { Source } from '@memrelay/import-files/source';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { isBundleFile } from '../bundle/bundle-file.ts';
import type { PassphraseOption } from '../bundle/passphrase.ts';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { type ResumableRun, runResumable } from '../client/resumable.ts';
import { beginJournal, type ImportJournal, journalPath, openJournal } from '../import/import-journal.ts';
import { progressText } from '../import/progress-text.ts';
import { readSource } from '../import/read-source.ts';
import { systemPaths } from '../system/system-paths.ts';
import { duration } from '../terminal/durations.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { printFailures } from '../terminal/failure-list.ts';
import type { Output } from '../terminal/output.ts';
import { counted, cut, plainText } from '../terminal/plain-text.ts';

export interface ImportOptions extends ConnectOptions, NamespaceOption, PassphraseOption {
  wait: boolean;
  bundleWriters: boolean;
  /** Only show what would be imported */
  dryRun?: boolean;
  roles?: string;
  again?: boolean;
}

/** Long enough to continue after a restart of the relayer (90 s), or after the long pauses that a busy one requests. */
const patience = { retryForMs: 15 * 60_000, interrupted: 'Interrupted.' };

/** Stores all memories of a file (text, chat or bundle), and continues where an earlier run was interrupted. */
export async function importFile(
  output: Output,
  path: string,
  options: ImportOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (await isBundleFile(path))
    return (await import('./import-bundle.ts')).importBundleFile(output, path, options, environment);
  const source = await readSource(path, options);
  if (options.dryRun) return showSource(output, source, options);
  // Fail at once if the credentials are refused or the relayer does not respond, not after the long retries of the
  // import.
  await withClient(options, ({ client }) => client.account());
  await runResumable(output, { connect: options, ...patience }, (run) =>
    importText(output, source, options, environment, run),
  );
}

async function importText(
  output: Output,
  { identity, file }: Source,
  options: ImportOptions,
  environment: NodeJS.ProcessEnv,
  { client, serverUrl, credentials, signal }: ResumableRun,
): Promise<void> {
  const namespace = options.namespace ?? defaultNamespace;
  // Without --namespace, memories go back to the namespaces of the export
  const ownNamespaces = options.namespace === undefined && file.memories.some((each) => each.namespace);
  const target = ownNamespaces ? 'own namespaces' : namespace;
  const where = ownNamespaces ? 'the namespaces of the export' : `namespace "${namespace}"`;
  let journal: ImportJournal | undefined;
  let last: ImportProgress = { total: file.memories.length, accepted: 0, stored: 0, known: 0, failed: 0 };
  try {
    const { accountId } = credentials;
    const directory = systemPaths(dataDir(environment)).imports;
    journal = await openFor(
      journalPath(directory, { content: identity, serverUrl, accountId, namespace: target }),
      options,
    );
    if (journal.ended) return reportEarlier(output, journal.ended.at, file, { namespace, where });
    const resumed = [...journal.acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);
    if (resumed > 0)
      output.line(
        `Resuming an interrupted import: ${counted(resumed, 'memory is', 'memories are')} already accepted.`,
      );
    output.step(
      `Importing ${counted(journal.only?.length ?? file.memories.length, 'memory', 'memories')} into ${where}`,
    );
    const text = progressText(options.wait);
    const started = performance.now();
    const failed = await runImport({
      client,
      memories: file.memories,
      namespace,
      ownNamespaces,
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
    : `All ${total} are accepted and will be stored. Run the same command again to see the results.`;
}

/** The journal to continue: the existing one, or a new one for earlier failures or for `--again`. */
async function openFor(path: string, options: ImportOptions): Promise<ImportJournal> {
  const found = await openJournal(path);
  if (!found.ended || (found.ended.failed.length === 0 && !options.again)) return found;
  await found.close();
  return beginJournal(path, options.again ? undefined : found.ended.failed);
}

function reportEarlier(
  output: Output,
  at: string,
  file: FileContent,
  { namespace, where }: { namespace: string; where: string },
): void {
  output.result({ namespace, total: file.memories.length, stored: 0, earlier_import: at });
  output.line(
    `This file was imported into ${where} on ${at.slice(0, 10)}: nothing to do. --again imports it again.`,
  );
}

/** What an import would store; nothing is sent. */
function showSource(
  output: Output,
  { kind, file: { memories, refused } }: Source,
  { namespace }: ImportOptions,
): void {
  const targets = memories.map((memory) => namespace ?? memory.namespace ?? defaultNamespace);
  const counts = new Map<string, number>();
  for (const target of targets) counts.set(target, (counts.get(target) ?? 0) + 1);
  output.result({
    dry_run: true,
    kind,
    total: memories.length,
    namespaces: Object.fromEntries(counts),
    memories: memories.map(({ place, text }, i) => ({ place, namespace: targets[i], text })),
    refused,
  });
  output.line(`${kind}: ${counted(memories.length, 'memory', 'memories')} would be imported`);
  for (const [name, count] of counts) output.line(`  ${count} into namespace "${plainText(name)}"`);
  output.line('');
  for (const { text } of memories.slice(0, shownSamples))
    output.line(`  ${cut(plainText(text), output.width - 2)}`);
  if (memories.length > shownSamples) output.line(`  … and ${memories.length - shownSamples} more`);
  if (refused.length > 0) output.line(`${counted(refused.length, 'entry', 'entries')} cannot be stored:`);
  printFailures(
    output,
    refused.map(({ place, reason }) => ({ name: place, reason })),
  );
  output.line('\nNothing was sent. Leave out --dry-run to import.');
}

const shownSamples = 10;

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
