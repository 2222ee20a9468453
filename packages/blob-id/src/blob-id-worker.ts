import { type BlobIdentity, computeBlobId } from './blob-id.ts';
import { withFileSource } from './file-source-node.ts';

export type BlobIdTask = { nShards: number } & ({ content: Uint8Array } | { path: string });

/** Runs in a worker thread; the name is what the pool calls. */
export function identify(task: BlobIdTask): BlobIdentity {
  if ('content' in task) return computeBlobId(task.content, task);
  return withFileSource(task.path, (source) => computeBlobId(source, task));
}
