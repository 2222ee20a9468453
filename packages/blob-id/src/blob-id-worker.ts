import { type BlobIdentity, computeBlobId, hashHalf, identityOfHalves } from './blob-id.ts';
import type { SliverHashes } from './encode/encode-blob.ts';
import type { BlobSource } from './source/blob-source.ts';
import { withFileSource } from './source/file-source-node.ts';

/** Functions of the worker threads. The pool calls them by name. */

export type BlobIdTask = { nShards: number } & ({ content: Uint8Array } | { path: string });

export interface JoinTask {
  nShards: number;
  size: number;
  halves: readonly [SliverHashes, SliverHashes];
}

function withContent<T>(task: BlobIdTask, use: (source: Uint8Array | BlobSource) => T): T {
  return 'content' in task ? use(task.content) : withFileSource(task.path, use);
}

export function identify(task: BlobIdTask): BlobIdentity {
  return withContent(task, (source) => computeBlobId(source, task));
}

export function half(task: BlobIdTask & { half: 0 | 1 }): SliverHashes {
  return withContent(task, (source) => hashHalf(source, task.half, task));
}

export function join({ size, halves, nShards }: JoinTask): BlobIdentity {
  return identityOfHalves(size, halves, { nShards });
}
