import { catchInterruption } from '../terminal/interruption.ts';
import type { Output } from '../terminal/output.ts';
import { type ConnectedClient, type ConnectOptions, connectClient } from './connect.ts';

export interface ResumableOptions {
  connect: ConnectOptions;
  /** How long one call is retried, e.g. during a restart of the relayer or of key servers. Default: the SDK's */
  retryForMs?: number;
  /** Timeout of one attempt */
  timeoutMs?: number;
  /** Message after an interruption; default: that the same command continues */
  interrupted?: string;
}

export interface ResumableRun extends ConnectedClient {
  /** Aborts on Ctrl-C */
  signal: AbortSignal;
}

const retryAttempts = 15;

/**
 * Runs the work of a long command that can be resumed after an interruption. The client retries as configured. The
 * first Ctrl-C stops the work with exit code 130; completed work is kept. If the work throws, its step is marked as
 * failed. In any case the signal handlers are removed and the key of the client is destroyed.
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
