import { readAccount } from '@memrelay/chain/account-reader';
import { readNetwork } from '@memrelay/sdk/account/network';
import { isRecoverable, wrapWithRecoveryKey } from '@memrelay/sdk/account/recovery';
import type { AccountKey, NewWrap, RewrapOptions } from '@memrelay/sdk/keys';
import type { ConnectOptions } from '../client/connect.ts';
import { type ResumableRun, runResumable } from '../client/resumable.ts';
import { confirm } from '../owner/confirm.ts';
import { readRecoveryFile } from '../owner/recovery-file.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/plain-text.ts';

export interface RewrapCommandOptions extends ConnectOptions {
  /** File with the owner's recovery key: for keys that no key server opens any more */
  recoveryKey?: string;
  yes?: boolean;
}

interface Progress {
  jobIds: string[];
  failed: { recipientPk: string; reason: string }[];
}

/** Maximum number of keys that the relayer accepts per request. */
const keysPerCall = 20;

/**
 * Wraps the keys of an account for the relayer's current key servers, so that it stays readable without the earlier
 * ones.
 */
export async function rewrap(output: Output, options: RewrapCommandOptions): Promise<void> {
  await runResumable(output, { connect: options }, async (run) => {
    const { client, signal } = run;
    output.step('Looking at the keys');
    const keys = await client.keys({ signal });
    const left = keys.filter(({ current }) => !current);
    output.done();
    if (left.length === 0) {
      output.result({ keys: keys.length, rewrapped: 0, failed: [] });
      output.line('Every key is wrapped for the current key servers.');
      return;
    }
    const { jobIds, failed } = options.recoveryKey
      ? await withRecoveryKey(output, run, left, options.recoveryKey, options.yes)
      : await withKeyServers(output, run, left.length);
    output.step('Storing the new wraps with the owner');
    const outcomes = jobIds.length > 0 ? await client.waitForJobs(jobIds, { signal }) : [];
    output.done();
    const unstored = outcomes.filter(({ status }) => status !== 'done');
    output.result({
      keys: keys.length,
      rewrapped: jobIds.length,
      failed,
      ...(unstored.length > 0 ? { not_stored: unstored.map(({ jobId }) => jobId) } : {}),
    });
    output.line(
      `${jobIds.length} of ${counted(left.length, 'key', 'keys')} wrapped for the current key servers.`,
    );
    if (unstored.length > 0)
      output.line(
        `${unstored.length} of them are only in the relayer's database: uploading them to the owner failed. Retry each with \`npx memrelay retry JOB\`:\n  ${unstored.map(({ jobId }) => jobId).join('\n  ')}`,
      );
    if (failed.length === 0) return;
    throw new ExitError(
      exitCodes.failed,
      options.recoveryKey
        ? `${counted(failed.length, 'key was', 'keys were')} not wrapped for this recovery key. If their key servers still exist, the operator can name them in ENC_HISTORICAL_SETS.`
        : `${counted(failed.length, 'key', 'keys')} cannot be opened by any key server that the relayer knows. The operator can name the former ones in ENC_HISTORICAL_SETS; the owner can use --recovery-key FILE.`,
      { code: 'keys_not_opened' },
    );
  });
}

async function withKeyServers(
  output: Output,
  { client, signal }: ResumableRun,
  count: number,
): Promise<Progress> {
  const progress = start(output, count);
  for (let next: Pick<RewrapOptions, 'after'> | undefined = {}; next; ) {
    const answer = await client.rewrapKeys({ ...next, signal });
    progress.add(answer);
    next = answer.next === undefined ? undefined : { after: answer.next };
  }
  output.done();
  return progress;
}

/** Opens the private keys on this machine, where they stay. Only wraps for the key servers that are shown are sent. */
async function withRecoveryKey(
  output: Output,
  { client, credentials, serverUrl, signal }: ResumableRun,
  keys: readonly AccountKey[],
  path: string,
  yes: boolean | undefined,
): Promise<Progress> {
  const recovery = await readRecoveryFile(path);
  const network = await readNetwork(serverUrl, globalThis.fetch, credentials.packageId);
  const found = await readAccount(network.chain, network.packageId, client.accountId);
  if (!found) throw new ExitError(exitCodes.usage, `${client.accountId} is no account of this network.`);
  const { servers, threshold } = network.keyServers;
  await confirm(
    output,
    `Open ${counted(keys.length, 'key', 'keys')} with the recovery key and wrap for these key servers`,
    [
      ...servers.map(({ objectId, weight }): [string, string] => ['Key server', `${objectId} ×${weight}`]),
      ['Threshold', String(threshold)],
    ],
    yes,
  );
  const progress = start(output, keys.length);
  const lost = keys.filter((key) => !isRecoverable(key));
  progress.add({ jobIds: [], failed: lost.map(({ recipientPk }) => notRecoverable(recipientPk)) });
  const recoverable = keys.filter(isRecoverable);
  for (let i = 0; i < recoverable.length; i += keysPerCall) {
    const wraps: NewWrap[] = [];
    for (const key of recoverable.slice(i, i + keysPerCall)) {
      try {
        wraps.push(await wrapWithRecoveryKey(network, found.account.origin, key, recovery));
      } catch (error) {
        if ((error as { code?: string }).code !== 'not_recoverable') throw error;
        progress.add({ jobIds: [], failed: [notRecoverable(key.recipientPk)] });
      }
    }
    if (wraps.length > 0) progress.add(await client.rewrapKeys({ keys: wraps, signal }));
  }
  output.done();
  return progress;
}

function notRecoverable(recipientPk: string): Progress['failed'][number] {
  return { recipientPk, reason: 'not_recoverable' };
}

/** Starts a step that shows how many keys are done. */
function start(output: Output, count: number): Progress & { add(more: Progress): void } {
  const progress = {
    jobIds: [] as string[],
    failed: [] as Progress['failed'],
    add(more: Progress) {
      progress.jobIds.push(...more.jobIds);
      progress.failed.push(...more.failed);
      const through = progress.jobIds.length + progress.failed.length;
      output.progress(() => `${through}/${count} keys`);
    },
  };
  output.step('Opening the keys and wrapping them again');
  return progress;
}
