import { join } from 'node:path';
import type { StorageNode } from '../registry/chain/storage-node.ts';
import { createSliverSource } from './sliver-source.ts';
import { openSliverUploads } from './sliver-uploads.ts';
import { createStorageNodes, type NodeContext, type StorageNodes } from './storage-nodes.ts';

/** The storage nodes over a store; what they open is given to `cleanUp`. */
export async function openStorageNodes(
  context: NodeContext,
  node: StorageNode,
  dataDir: string,
  cleanUp: AsyncDisposableStack,
): Promise<StorageNodes> {
  const { nShards } = node.committee;
  const slivers = createSliverSource(context.storage, nShards);
  cleanUp.defer(() => slivers.close());
  const uploads = await openSliverUploads(join(dataDir, 'slivers'), nShards);
  cleanUp.defer(() => uploads.close());
  return createStorageNodes(context, { node, slivers, uploads });
}
