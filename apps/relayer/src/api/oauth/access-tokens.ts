import { ApiError } from '@memrelay/protocol/errors';
import { openToken } from '../rows/grant-rows.ts';
import type { OAuthContext } from './oauth-context.ts';
import { parseToken } from './token-seal.ts';

/** Passed to the tool server instead of an access token, for one request. */
export interface ToolBearer {
  /** 64 hex digits. A secret */
  delegateKey: string;
  accountId: string;
}

/**
 * Resolves an `Authorization` header to a delegate key; undefined when it contains no token of this relayer. Throws
 * `invalid_token` for a token that is not an access token, was not issued here or for this resource, or has expired.
 */
export type ReadBearer = (authorization: string | undefined) => Promise<ToolBearer | undefined>;

const bearerPattern = /^Bearer +(\S+)$/i;
/** Matches any token anywhere in a header: no header that contains one is passed to the tool server. */
const mark = /mr(ct|ac|at|rt)_/i;

export function createBearerReader({ db, pepper, resource, now }: OAuthContext): ReadBearer {
  return async (authorization) => {
    if (authorization === undefined || !mark.test(authorization)) return undefined;
    const token = parseToken('access', bearerPattern.exec(authorization)?.[1] ?? '');
    const opened = token && (await openToken(db, pepper, token, 'look'));
    const accountId = opened?.terms.accountId;
    if (
      !opened ||
      accountId === undefined ||
      opened.used ||
      opened.terms.resource !== resource ||
      opened.expiresAtMs <= now()
    )
      throw new ApiError('invalid_token');
    const delegateKey = opened.delegateKey.toString('hex');
    opened.delegateKey.fill(0);
    return { delegateKey, accountId };
  };
}
