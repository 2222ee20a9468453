import type { Session } from './session.ts';

/** A requirement of a row that not every service meets. */
export type Need =
  | 'publisher'
  | 'aggregator'
  | 'admin'
  | 'tokens'
  | 'tight limits'
  | 'restrictions'
  | 'relay'
  | 'no chain'
  | '1000 shards';

/** The reason why a row cannot run in this session; undefined if it can. */
export function missing({ targets, shards, ours }: Session, need: Need): string | undefined {
  switch (need) {
    case 'publisher':
      return targets.publisher === undefined ? 'no publisher given' : undefined;
    case 'aggregator':
      return targets.aggregator === undefined ? 'no aggregator given' : undefined;
    case 'admin':
      // The token is not sent to third-party services.
      if (!ours) return 'only the blob store of this repository has admin routes';
      return targets.adminToken === undefined ? 'no BLOBSTORE_ADMIN_TOKEN given' : undefined;
    case 'tokens':
      return targets.tokens === undefined ? 'no publisher with tokens given' : undefined;
    case 'tight limits':
      return targets.tight === undefined ? 'no store with tight limits given' : undefined;
    case 'restrictions':
      return targets.restricted === undefined ? 'no store with restrictions given' : undefined;
    case 'relay':
      return targets.relay === undefined ? 'no upload relay given' : undefined;
    case 'no chain':
      return targets.relay === undefined ? undefined : 'the publisher uses a chain';
    case '1000 shards':
      return shards === 1000 ? undefined : 'blob IDs are computed for another number of shards';
  }
}
