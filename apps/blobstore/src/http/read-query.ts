import type { ConsistencyCheck } from '../aggregator/open-blob.ts';
import { invalidConsistencyCheck } from './api-error.ts';
import { flagOf, queryOf, refuseUnknown } from './query.ts';

const strictFlag = 'strict_consistency_check';
const skipFlag = 'skip_consistency_check';

/** The consistency check that a read asks for. Throws 400 when both flags are set or another parameter is there. */
export function parseReadQuery(url: string): ConsistencyCheck {
  const query = queryOf(url);
  refuseUnknown(query, [strictFlag, skipFlag]);
  const strict = flagOf(query, strictFlag);
  const skip = flagOf(query, skipFlag);
  if (strict && skip) throw invalidConsistencyCheck();
  if (strict) return 'strict';
  return skip ? 'skip' : 'default';
}
