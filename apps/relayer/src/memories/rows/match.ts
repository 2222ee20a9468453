/** A memory that matches. */
export interface Match {
  id: string;
  distance: number;
  /** Among the nearest; otherwise it was found by its words */
  near: boolean;
  /** It has no vector of this model: `distance` is that of an unrelated text */
  stale?: true;
  /**
   * How often it contains each term of the question, then each related one (0–3), and its length; absent without a
   * keyword search
   */
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
