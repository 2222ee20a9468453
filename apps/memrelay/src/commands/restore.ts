import { defaultNamespace } from '@memrelay/protocol/limits';
import type { Restored } from '@memrelay/sdk/restore';
import { type ConnectOptions, connectClient, type NamespaceOption } from '../connect.ts';
import { ExitError, exitCodes } from '../exit-codes.ts';
import { catchInterruption } from '../interruption.ts';
import type { Output } from '../output.ts';

export interface RestoreCommandOptions extends ConnectOptions, NamespaceOption {
  /** Ed25519 public keys, hex */
  trustWriter?: string[];
}

/** It rides out a restart of the relayer, and key servers that are away for a while. */
const patience = { maxAttempts: 15, deadlineMs: 5 * 60_000, timeoutMs: 60_000 };
const failuresShown = 20;

/** Rebuilds the index of a namespace from what its owner holds on chain. */
export async function restore(output: Output, options: RestoreCommandOptions): Promise<void> {
  const { client } = await connectClient(options, patience);
  const interruption = catchInterruption('Interrupted. Run the same command again to go on.');
  const namespace = options.namespace ?? defaultNamespace;
  try {
    output.step(`Restoring namespace "${namespace}" from the chain`);
    const restored = await client.restore({
      namespace,
      ...(options.trustWriter ? { trustedWriters: options.trustWriter } : {}),
      signal: interruption.signal,
      onProgress: (progress) => output.progress(() => progressText(progress)),
    });
    output.done();
    report(output, restored);
  } catch (error) {
    output.abandon();
    throw error;
  } finally {
    interruption.release();
    client.destroy();
  }
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
  output.line(`${restored} memories restored; ${skipped} of ${total} were indexed or forgotten already.`);
  if (unverified > 0)
    output.line(
      `${unverified} were left out: they are signed by nobody whom this account believes. If you know who wrote them, name the key with --trust-writer.`,
    );
  if (failed.length === 0) return;
  output.line(`${failed.length} blobs could not be read or opened:`);
  for (const { blobId, reason } of failed.slice(0, failuresShown)) output.line(`  ${blobId}: ${reason}`);
  throw new ExitError(
    exitCodes.failed,
    `${failed.length} blobs were left out. Run the same command again to try them.`,
    {
      code: 'not_restored',
    },
  );
}
