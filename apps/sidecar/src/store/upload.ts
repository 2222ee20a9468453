import type { QuiltFile } from './quilt-encoding.ts';

/** One blob that goes to the network. */
export interface Upload {
  owner: string;
  epochs: number;
  /** Address of the wallet that pays; a publisher pays itself */
  wallet: string | undefined;
  jobId: string;
  /** True when this job may have begun before: what it reached is looked for on chain, so that nothing is paid twice */
  resume: boolean;
  /** What ends before this epoch is not the object that is wanted: the blob is being stored for longer */
  minEndEpoch: number | undefined;
}

/** What a blob holds: bytes as they are, or a quilt of files. */
export interface UploadContent {
  /** Of the blob; of a quilt as it is packed */
  bytes: Uint8Array;
  /** The files of a quilt, with the ids of their patches as a function of the quilt's id */
  quilt?: { files: readonly QuiltFile[]; patchIds(quiltId: string): string[] };
}

/** Tells quilts from other blobs, as everywhere on Walrus. */
export const quiltAttributes = { _walrusBlobType: 'quilt' };
