import { z } from 'zod';
import { limitField, namespaceField, textField } from './fields.ts';
import { defaultNamespace, limits } from './limits.ts';

/** `POST /api/profile`: what is known about the owner or a subject, without a model call. */
export const profileRequest = z.object({
  /** A person, a thing or a topic; if omitted, the most important memories of the namespace */
  subject: textField(limits.queryBytes).optional(),
  namespace: namespaceField.default(defaultNamespace),
  limit: limitField(limits.profileLimit),
  include_pending: z.boolean().default(false),
});
export type ProfileRequest = z.infer<typeof profileRequest>;

/** A memory that states a fact. */
export interface FactSource {
  id: string;
  /** Absent while the memory is pending */
  blob_id?: string;
  created_at: string;
}

export interface ProfileFact {
  /** One statement, at most 300 characters */
  text: string;
  /** Memories that state it in these words, the best first */
  sources: FactSource[];
}

export interface ProfileResponse {
  namespace: string;
  /** Best first */
  facts: ProfileFact[];
  total: number;
  /** Memories that could not be read; absent when none */
  dropped_count?: number;
  /** True when the vectors come from the built-in lexical embedder */
  mock?: true;
}
