import type { AuditAction } from '@memrelay/protocol/audit-log';
import type { Queryable } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { deleteGrant, type OpenedToken } from '../rows/grant-rows.ts';
import type { OAuthContext } from './oauth-context.ts';

/**
 * - `client`: it asked for it
 * - `misuse`: a token was used twice, late, or by another client
 * - `key`: its delegate key was removed or has expired
 */
export type RevocationReason = 'client' | 'misuse' | 'key';

type Grant = Pick<OpenedToken, 'terms' | 'publicKey'>;

/** Records an action of a sign-in. Nothing before the consent: then no account takes part. */
export async function auditGrant(
  { audit }: Pick<OAuthContext, 'audit'>,
  tx: Queryable,
  { terms, publicKey }: Grant,
  action: AuditAction,
  detail: Record<string, string> = {},
): Promise<void> {
  if (terms.accountId === undefined) return;
  await audit.append(tx, hexToBytes(terms.accountId), {
    action,
    detail: { grant: terms.grantId, public_key: publicKey, ...detail },
  });
}

/** Deletes a grant with all its tokens and records it, once. */
export async function revokeGrant(
  context: Pick<OAuthContext, 'audit'>,
  tx: Queryable,
  grant: Grant,
  reason: RevocationReason,
): Promise<void> {
  if (await deleteGrant(tx, grant.terms.grantId))
    await auditGrant(context, tx, grant, 'sign_in.revoked', { reason });
}
