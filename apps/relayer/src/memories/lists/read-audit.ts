import type { AuditRequest, AuditResponse } from '@memrelay/protocol/audit-log';
import { ApiError } from '@memrelay/protocol/errors';
import type { Caller } from '../../accounts/caller.ts';
import { namespacesWith } from '../../accounts/require-permission.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';

export interface ReadAuditParts {
  db: Db;
  audit: Pick<AuditLog, 'read'>;
}

/**
 * One page of the account's audit log. It covers all namespaces and names the other delegates, so it needs READ in all
 * namespaces. Nothing is decrypted, so no decrypt credential is needed. Throws `insufficient_scope`.
 */
export async function readAudit(
  { db, audit }: ReadAuditParts,
  caller: Caller,
  request: AuditRequest,
): Promise<AuditResponse> {
  if (namespacesWith(caller, 'read') !== 'all') throw new ApiError('insufficient_scope');
  return audit.read(db, hexToBytes(caller.account.accountId), request);
}
