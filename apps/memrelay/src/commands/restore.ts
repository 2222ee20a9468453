import { defaultNamespace } from '@memrelay/protocol/limits';
import type { Restored } from '@memrelay/sdk/restore';
import type { ConnectOptions, NamespaceOption } from '../client/connect.ts';
import { runResumable } from '../client/resumable.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { printFailures } from '../terminal/failure-list.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/plain-text.ts';

export interface RestoreCommandOptions extends ConnectOptions, NamespaceOption {
  /** Ed25519 public keys, hex */
  trustWriter?: string[];
}

/** Long enough to continue after a restart of the relayer or an outage of key servers. */
const patience = { retryForMs: 5 * 60_000, timeoutMs: 60_000 };

/** Rebuilds the index of a namespace from what its owner holds on chain. */
export async function restore(output: Output, options: RestoreCommandOptions): Promise<void> {
  const namespace = options.namespace ?? defaultNamespace;
  await runResumable(output, { connect: options, ...patience }, async ({ client, signal }) => {
    output.step(`Restoring namespace "${namespace}" from the chain`);
    const restored = await client.restore({
      namespace,
      ...(options.trustWriter ? { trustedWriters: options.trustWriter } : {}),
      signal,
      onProgress: (progress) => output.progress(() => progressText(progress)),
    });
    output.done();
    report(output, restored);
  });
}

function progressText({ restored, skipped, total }: Restored): string {
  return total === 0 ? 'looking at the blobs' : `${restored + skipped}/${total} memories`;
}

function report(output: Output, { namespace, restored, skipped, total, ...rest }: Restored): void {
  const { unverified = 0, failed = [] } = rest;
  output.result({
    namespace,
    restored,
    skipped,
    total,
    unverified,
    failed: failed.map(({ blobId, reason }) => ({ blob_id: blobId, reason })),
  });
  output.line(
    `${counted(restored, 'memory', 'memories')} restored; ${skipped} of ${total} indexed or forgotten already.`,
  );
  if (unverified > 0)
    output.line(
      `${unverified} were left out: this account does not trust the keys that signed them. If you know who wrote them, pass the key with --trust-writer.`,
    );
  if (failed.length === 0) return;
  output.line(`${counted(failed.length, 'blob', 'blobs')} could not be read or opened:`);
  printFailures(
    output,
    failed.map(({ blobId, reason }) => ({ name: blobId, reason })),
  );
  throw new ExitError(
    exitCodes.failed,
    `${counted(failed.length, 'blob was', 'blobs were')} left out. Run the same command again to retry.`,
    {
      code: 'not_restored',
    },
  );
}
