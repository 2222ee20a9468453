import type { ProfileResponse } from '@memrelay/protocol/profile';
import type { CamelKeys } from './wire/camel-keys.ts';
import type { NamespaceOptions } from './wire/types.ts';

export interface ProfileOptions extends NamespaceOptions {
  /** A person, a thing or a topic. Default: the most important facts of the namespace */
  subject?: string | undefined;
  /** 1–100, default 20 */
  limit?: number | undefined;
  /** Include memories that are accepted but not yet stored; default true */
  includePending?: boolean | undefined;
}

/** Short facts with the memories that state them */
export type Profile = CamelKeys<ProfileResponse>;

/** The body of a profile request. */
export function profileBody({ subject, namespace, limit, includePending }: ProfileOptions): object {
  return { subject, namespace, limit, include_pending: includePending ?? true };
}
