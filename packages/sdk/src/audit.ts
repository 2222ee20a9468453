import { type AuditProblem, checkAudit, type SeenHead, seenHeadOf } from '@memrelay/protocol/audit-check';
import type { AuditEntry, AuditHead, AuditResponse } from '@memrelay/protocol/audit-log';
import { verifySignature } from './wire/signer.ts';
import type { CallOptions } from './wire/types.ts';

/** The part of `MemRelay` that reads the log. */
export interface AuditClient {
  readonly accountId: string;
  auditPage(request: AuditPageRequest): Promise<AuditResponse>;
}

export interface AuditPageRequest extends CallOptions {
  /** `next_cursor` of the previous page; default: from the beginning */
  cursor?: string | undefined;
  /** At most 500 */
  limit: number;
}

export interface AuditOptions extends CallOptions {
  /** `seen` of the last call: a log that was rewritten or cut off since then has a problem */
  seen?: SeenHead | undefined;
}

/** Names are those of the wire, because entries are hashed with them. */
export interface Audit {
  /** Oldest first */
  entries: AuditEntry[];
  head: AuditHead;
  /** Empty if the log is in order */
  problems: AuditProblem[];
  /** Keep it for the next call, if there are no problems */
  seen: SeenHead;
}

const perPage = 500;

/** Reads the account's audit log from its beginning and checks it. Requires READ in all namespaces. */
export async function readAudit(client: AuditClient, { seen, signal }: AuditOptions = {}): Promise<Audit> {
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await client.auditPage({ cursor, limit: perPage, signal });
    entries.push(...page.entries);
    const { head } = page;
    // A page without entries has no next one, whatever the relayer claims
    if (page.next_cursor === undefined || page.entries.length === 0) {
      const problems = checkAudit({ entries, head }, verifySignature, seen);
      if (head.account_id !== client.accountId.toLowerCase())
        problems.push({ kind: 'other_account', seq: head.seq });
      return { entries, head, problems, seen: seenHeadOf(head) };
    }
    cursor = page.next_cursor;
  }
}
