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

/** Why a row cannot run here, if it cannot. */
export function missing({ targets, shards, ours }: Session, need: Need): string | undefined {
  switch (need) {
    case 'publisher':
      return targets.publisher === undefined ? 'no publisher given' : undefined;
    case 'aggregator':
      return targets.aggregator === undefined ? 'no aggregator given' : undefined;
    case 'admin':
      // The token is not sent to third-party services.
      if (!ours) return 'only a store of ours has admin routes';
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
      return targets.relay === undefined ? undefined : 'there is a chain';
    case '1000 shards':
      return shards === 1000 ? undefined : 'the blob IDs are of another number of shards';
  }
}
