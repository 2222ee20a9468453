import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import type { QuiltFile } from './quilt-encoding.ts';

/** How one blob is to be stored. */
export interface Upload {
  owner: string;
  epochs: number;
  /** Address of the wallet that pays; unused with a publisher, which pays itself */
  wallet: string | undefined;
  jobId: string;
  /** True if an earlier attempt of this job may have started: its objects are looked up on chain, so that nothing is paid for twice */
  resume: boolean;
  /** Ignore an existing object that ends before this epoch: the blob's lifetime is being extended */
  minEndEpoch: number | undefined;
}

/** The content of a blob: plain bytes, or a quilt of files. */
export interface UploadContent {
  /** The bytes of the blob; for a quilt, the packed bytes */
  bytes: Uint8Array;
  /** The files of a quilt. `patchIds` returns the ids of their patches, which follow from the quilt's id */
  quilt?: { files: readonly QuiltFile[]; patchIds(quiltId: string): string[] };
}

/** Attribute that marks a blob as a quilt, as defined by Walrus. */
export const quiltAttributes = { _walrusBlobType: 'quilt' };

type FailedCheckpoint = Extract<UploadCheckpoint, { stage: 'failed' }>;

/** The last checkpoint of an upload that failed. `permanent`: a retry cannot help. */
export function failedUpload(kind: FailedCheckpoint['kind'], reason: string): FailedCheckpoint {
  return { stage: 'failed', kind, reason };
}

/** The last checkpoint of an upload that succeeded. */
export function finishedUpload(
  { quilt }: UploadContent,
  stored: { blobId: string; endEpoch: number; objectId: string | undefined },
): UploadCheckpoint {
  return {
    stage: 'done',
    blob_id: stored.blobId,
    end_epoch: stored.endEpoch,
    ...(stored.objectId ? { object_id: stored.objectId } : {}),
    ...(quilt ? { patch_ids: quilt.patchIds(stored.blobId) } : {}),
  };
}
