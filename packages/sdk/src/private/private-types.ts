import type { HitExplanation } from '@memrelay/protocol/hit-explanation';
import type {
  ManualOptions,
  ManualRecallHit,
  ManualRecallOptions,
  ManualRecallResult,
  ManualRememberOptions,
} from '../manual/manual-types.ts';
import type { CamelKeys } from '../wire/camel-keys.ts';
import type { ContextOptions, TagFilterOptions } from '../wire/types.ts';

export interface PrivateOptions extends ManualOptions {
  /** Called once for each reason why the relayer, or another server, may be able to read along */
  onWarning?: ((warning: PrivateWarning) => void) | undefined;
}

/** `broad_delegate`: a key that is not this client's may read all namespaces, private ones too. */
export interface PrivateWarning {
  code: 'broad_delegate';
  /** For a person; contains no memory text */
  message: string;
  /** The delegate's public key, 64 hex digits */
  publicKey: string;
  label: string;
}

export interface PrivateRememberOptions extends ManualRememberOptions, ContextOptions {}

export interface PrivateRecallOptions extends ManualRecallOptions {
  /** Say for each hit why it has its rank */
  explain?: boolean | undefined;
  /** Only memories whose tags pass */
  tags?: TagFilterOptions | undefined;
  /** Have the relayer send envelopes with the hits instead of fetching their blobs; default true */
  includeEnvelopes?: boolean | undefined;
}

export interface PrivateRecallHit extends ManualRecallHit {
  explain?: CamelKeys<HitExplanation>;
}

export interface PrivateRecallResult extends Omit<ManualRecallResult, 'results'> {
  results: PrivateRecallHit[];
  /** Some memories cannot be found yet: they have no index data, or data of an earlier search secret */
  partial?: true;
  /** The number of these memories; absent without any */
  notSearchable?: number;
}
