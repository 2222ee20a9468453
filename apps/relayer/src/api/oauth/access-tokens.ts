import { ApiError } from '@memrelay/protocol/errors';
import { openToken } from '../rows/grant-rows.ts';
import type { OAuthContext } from './oauth-context.ts';
import { parseToken } from './token-seal.ts';

/** What the tool server is given in place of an access token, for one request. */
export interface ToolBearer {
  /** 64 hex digits. A secret */
  delegateKey: string;
  accountId: string;
}

/**
 * What an `Authorization` header stands for; undefined when it holds no token of ours. Throws `invalid_token` for one that is
 * no access token, was not given out here, or for another resource, or has ended.
 */
export type ReadBearer = (authorization: string | undefined) => Promise<ToolBearer | undefined>;

const bearerPattern = /^Bearer +(\S+)$/i;
/** Of any token, in whatever form a header has it: nothing with one in it goes on to the tool server. */
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
