import type { StorageNode } from '../registry/chain/storage-node.ts';
import type { Tip } from './tip.ts';

/** What uploads are relayed to, and what they cost. */
export interface UploadRelay {
  node: StorageNode;
  /** Uploads are free without one */
  tip: Tip | undefined;
  /** Milliseconds since 1970 */
  now: () => number;
}
