import { catchInterruption } from '../terminal/interruption.ts';
import type { Output } from '../terminal/output.ts';
import { type ConnectedClient, type ConnectOptions, connectClient } from './connect.ts';

export interface ResumableOptions {
  connect: ConnectOptions;
  /** How long one call is retried: over a restart of the relayer, of a provider or of key servers. Left out: as usual */
  retryForMs?: number;
  /** Of one attempt */
  timeoutMs?: number;
  /** What an interrupted command prints; default: that the same command goes on */
  interrupted?: string;
}

export interface ResumableRun extends ConnectedClient {
  /** Aborts on Ctrl-C */
  signal: AbortSignal;
}

const retryAttempts = 15;

/**
 * Runs the work of a command that takes long and goes on where it was interrupted. The work connects with patience,
 * stops at the first Ctrl-C with exit code 130 and keeps what it has completed; its step ends as failed when it throws,
 * and the signals and the key of the client are released in any case.
 */
export async function runResumable(
  output: Output,
  { connect, retryForMs, timeoutMs, interrupted }: ResumableOptions,
  work: (run: ResumableRun) => Promise<void>,
): Promise<void> {
  const connected = await connectClient(connect, {
    ...(retryForMs === undefined ? {} : { maxAttempts: retryAttempts, deadlineMs: retryForMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const interruption = catchInterruption(
    interrupted ?? 'Interrupted. Run the same command again to continue.',
  );
  try {
    await work({ ...connected, signal: interruption.signal });
  } catch (error) {
    output.abandon();
    throw error;
  } finally {
    interruption.release();
    connected.client.destroy();
  }
}
