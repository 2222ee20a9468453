import { type AuditProblem, checkAudit, type SeenHead, seenHeadOf } from '@memrelay/protocol/audit-check';
import type { AuditEntry, AuditHead, AuditResponse } from '@memrelay/protocol/audit-log';
import { type Connection, callRelayer } from './wire/request.ts';
import { verifySignature } from './wire/signer.ts';
import type { CallOptions } from './wire/types.ts';

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

/** Reads the audit log from its beginning and checks it. */
export async function readAudit(connection: Connection, { seen, signal }: AuditOptions): Promise<Audit> {
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await readAuditPage(connection, { cursor, limit: perPage, signal });
    entries.push(...page.entries);
    const { head } = page;
    // A page without entries has no next one, whatever the relayer claims
    if (page.next_cursor === undefined || page.entries.length === 0) {
      const problems = checkAudit({ entries, head }, verifySignature, seen);
      if (head.account_id !== connection.accountId.toLowerCase())
        problems.push({ kind: 'other_account', seq: head.seq });
      return { entries, head, problems, seen: seenHeadOf(head) };
    }
    cursor = page.next_cursor;
  }
}

async function readAuditPage(
  connection: Connection,
  { cursor, limit, signal }: { cursor: string | undefined; limit: number; signal: AbortSignal | undefined },
): Promise<AuditResponse> {
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
  const path = `/api/audit?${query}`;
  return (await callRelayer<AuditResponse>(connection, { method: 'GET', path, signal })).value;
}
