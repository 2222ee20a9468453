import type { ConsistencyCheck } from '../aggregator/open-blob.ts';
import { invalidConsistencyCheck } from '../base/api-error.ts';
import { flagOf, queryOf, refuseUnknown } from '../http/query.ts';

export const strictFlag = 'strict_consistency_check';
export const skipFlag = 'skip_consistency_check';

/** The consistency check for the two flags. Throws 400 if both are set. */
export function checkOf(strict: boolean, skip: boolean): ConsistencyCheck {
  if (strict && skip) throw invalidConsistencyCheck();
  if (strict) return 'strict';
  return skip ? 'skip' : 'default';
}

/** The requested consistency check of a read. Throws 400 when both flags are set or another parameter is present. */
export function parseReadQuery(url: string): ConsistencyCheck {
  const query = queryOf(url);
  refuseUnknown(query, [strictFlag, skipFlag]);
  return checkOf(flagOf(query, strictFlag), flagOf(query, skipFlag));
}
