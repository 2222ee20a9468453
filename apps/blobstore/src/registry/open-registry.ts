import { join } from 'node:path';
import { readIdentity, requireSameIdentity, writeIdentity } from '../data-directory.ts';
import type { BlobRegistry } from './blob-registry.ts';
import { type ChainRegistryOptions, openChainRegistry } from './chain/chain-registry.ts';
import { openLocalRegistry } from './local-registry.ts';

export interface RegistryOptions {
  dataDir: string;
  /**
   * Fixed for the life of a data directory, and taken from it when absent. With a chain it must be that network's
   * number; without one it is 1000 for a new directory, as on the public networks.
   */
  nShards?: number;
  /** Where blobs are registered; without it the store keeps a registry of its own */
  chain?: ChainRegistryOptions;
  /** Length of an epoch without a chain, one day by default; null where epochs are advanced by hand alone */
  epochDurationMs?: number | null;
  /** Milliseconds since 1970 */
  now?: () => number;
}

export const defaultShards = 1000;
const dayMs = 86_400_000;

/**
 * Opens the registry that a data directory belongs to, and marks a new directory with it. What is opened is given
 * to `cleanUp`. Throws a plain error that names the setting when directory, chain and options do not fit.
 */
export async function openRegistry(
  options: RegistryOptions,
  cleanUp: AsyncDisposableStack,
): Promise<{ registry: BlobRegistry; nShards: number }> {
  const { dataDir } = options;
  const known = await readIdentity(dataDir);
  if (options.chain !== undefined) {
    const registry = await openChainRegistry(options.chain);
    cleanUp.defer(() => registry.close());
    const { nShards, chainId } = registry;
    if ((options.nShards ?? nShards) !== nShards) {
      throw new Error(`the chain has ${nShards} shards: leave BLOBSTORE_SHARDS (--shards) out`);
    }
    if (known !== undefined) requireSameIdentity(dataDir, known, { shards: nShards, chainId });
    else await writeIdentity(dataDir, { shards: nShards, chainId });
    return { registry, nShards };
  }
  const nShards = options.nShards ?? known?.shards ?? defaultShards;
  if (known !== undefined) requireSameIdentity(dataDir, known, { shards: nShards });
  const registry = await openLocalRegistry({
    path: join(dataDir, 'registry.jsonl'),
    isNew: known === undefined,
    nShards,
    epochDurationMs: options.epochDurationMs === undefined ? dayMs : options.epochDurationMs,
    now: options.now ?? Date.now,
  });
  cleanUp.defer(() => registry.close());
  // Last, so that a marked directory always has its journal.
  if (known === undefined) await writeIdentity(dataDir, { shards: nShards });
  return { registry, nShards };
}
