import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { chooseRelayer } from 'memrelay-mcp/stdio/relayer-choice';
import type { HookSettings } from './hook-settings.ts';

/**
 * Runs `work` with a client of the project's namespace. A hook that a person waits for does not retry. Throws as
 * `loadCredentials`, `ToolRefusal` for a relayer that the user has not approved, and what `work` throws.
 */
export async function withHookClient<T>(
  { namespace, relayerUrl }: HookSettings,
  limits: { deadlineMs: number; maxAttempts: number },
  work: (memory: MemRelay, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const credentials = await loadCredentials();
  const serverUrl = await chooseRelayer({ relayerUrl }, credentials);
  const memory = MemRelay.fromCredentials(credentials, { serverUrl, namespace, ...limits });
  try {
    return await work(memory, AbortSignal.timeout(limits.deadlineMs));
  } finally {
    memory.destroy();
  }
}
