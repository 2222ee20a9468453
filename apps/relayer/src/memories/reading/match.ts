/** A memory that matches. */
export interface Match {
  id: string;
  distance: number;
  /** Among the nearest; one that is not was found by its words */
  near: boolean;
  /** It has no vector of this model: `distance` is that of what has nothing in common */
  stale?: true;
  /** How often each term of the question, then each related one, stands in it (0–3), and how long it is; absent without a keyword search */
  words?: { steps: readonly number[]; lengthBucket: number };
  state: 'pending' | 'done';
  blobId: string | undefined;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  /** Bytes of the envelope */
  size: number;
  importance: number;
  createdAt: Date;
  /** The memory that replaces it, if one does */
  supersededBy?: string | undefined;
}
