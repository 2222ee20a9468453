import { createHash } from 'node:crypto';
import type { Account, DelegateKey, Scope } from '@memrelay/chain/account-bcs';
import { ApiError } from '@memrelay/protocol/errors';
import { headers } from '@memrelay/protocol/headers';
import { authHeaderPatterns } from '@memrelay/protocol/signing';
import { rawPublicKey } from '../base/raw-public-key.ts';
import type { AccountStates } from './account-states.ts';

/** The verified credential of a tool request: a delegate of an account on chain. */
export interface ToolCredential {
  accountId: string;
  /** 64 hex digits; signs the calls of this request. A secret: dropped after the request */
  delegateKey: string;
  /** 64 lower-case hex digits */
  publicKey: string;
  scope: Scope;
  /** A hash that identifies the credential without revealing it; sessions are bound to it */
  binding: string;
}

/** The headers of a request that contain its credential. */
export interface PresentedCredential {
  authorization: string | undefined;
  accountId: string | undefined;
}

/**
 * Checks the credential of a request against the chain. Throws `missing_auth_header`, `invalid_auth_header`,
 * `unknown_delegate_key`, `account_inactive` and `delegate_expired` (401), and `auth_unavailable` (503).
 */
export type CheckCredential = (presented: PresentedCredential) => Promise<ToolCredential>;

const bearerPattern = /^Bearer +(\S+)$/i;
const privateKeyPattern = /^(?:0x)?([0-9a-f]{64})$/i;

/** The error for a request without `Authorization`. */
export function missingCredential(): ApiError {
  return new ApiError('missing_auth_header', {
    message: 'Send Authorization: Bearer with the delegate private key.',
  });
}

export function createCredentialCheck(options: {
  accounts: AccountStates;
  /** Unix time in ms */
  now?: () => number;
}): CheckCredential {
  const { accounts, now = Date.now } = options;
  return async ({ authorization, accountId: sentId }) => {
    if (authorization === undefined) throw missingCredential();
    const bearer = bearerPattern.exec(authorization)?.[1] ?? '';
    const delegateKey = privateKeyPattern.exec(bearer)?.[1]?.toLowerCase();
    if (delegateKey === undefined)
      throw new ApiError('invalid_auth_header', {
        message: 'The bearer must be a delegate private key: 64 hex characters.',
      });
    if (sentId === undefined || !authHeaderPatterns.accountId.test(sentId))
      throw new ApiError('invalid_auth_header', {
        message: `${headers.memAccountId} must be the id of the account: 0x and 64 hex characters.`,
      });
    const accountId = sentId.toLowerCase();
    const publicKey = publicKeyOf(delegateKey);
    let account = await accounts.account(accountId);
    // A missing key may have been added after the cached read, by a sign-in a moment ago
    if (account && !delegateOf(account, publicKey)) account = await accounts.freshAccount(accountId);
    const scope = scopeOf(account, publicKey, now());
    const binding = createHash('sha256').update(`${delegateKey}:${accountId}`).digest('hex');
    return { accountId, delegateKey, publicKey, scope, binding };
  };
}

/**
 * The scope of a key in an account. Throws `unknown_delegate_key`, `account_inactive` and `delegate_expired`.
 *
 * @param nowMs Unix time
 */
export function scopeOf(account: Account | undefined, publicKey: string, nowMs: number): Scope {
  const delegate = account && delegateOf(account, publicKey);
  const scope = account?.scopes.find(({ key }) => key === delegate?.address)?.value;
  if (!account || !delegate || !scope) throw new ApiError('unknown_delegate_key');
  if (!account.active) throw new ApiError('account_inactive');
  if (isExpired(scope, nowMs)) throw new ApiError('delegate_expired');
  return scope;
}

function delegateOf(account: Account, publicKey: string): DelegateKey | undefined {
  return account.delegate_keys.find(
    ({ public_key }) => Buffer.from(public_key).toString('hex') === publicKey,
  );
}

/** A scope is expired from exactly this millisecond on. */
export function isExpired(scope: Scope, nowMs: number): boolean {
  return scope.expires_at_ms !== 0n && scope.expires_at_ms <= BigInt(nowMs);
}

function publicKeyOf(privateKey: string): string {
  const seed = Buffer.from(privateKey, 'hex');
  try {
    return Buffer.from(rawPublicKey('ed25519', seed)).toString('hex');
  } finally {
    seed.fill(0);
  }
}
