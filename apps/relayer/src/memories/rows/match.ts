import type { PackedTokens } from '../../index/context-tokens.ts';

/** A memory found by a search. */
export interface Match {
  id: string;
  distance: number;
  /** Found by the vector search; otherwise only by its words */
  near: boolean;
  /** It has no vector of the current model, so `distance` is a default: that of an unrelated text */
  stale?: true;
  /** How related it is to the question, for a model with centers (centers.ts); absent below the minimum similarity */
  relatedness?: number;
  /**
   * Frequency (0–3) of each term of the question, then of each related term, and the length class of the text. Absent
   * without a keyword search.
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
  /** Tokens of its session, speaker and date; absent if it has none of them */
  context?: PackedTokens;
  /** Tokens of its tags; absent without tags */
  tags?: ReadonlySet<string>;
  /** No request returns it from then on */
  expiresAt?: Date;
}
