import { z } from 'zod';
import { limitField } from './fields.ts';
import { limits } from './limits.ts';

/** The audit log of an account (docs/audit.md). How it is hashed and signed is in audit-chain.ts. */

/** What is recorded, by who takes part: the account's owner on chain, clients with a key, or a sign-in. */
export const auditActions = [
  'account.created',
  'account.frozen',
  'account.unfrozen',
  'account.key_epoch_rotated',
  'account.owner_offered',
  'account.owner_offer_cancelled',
  'account.owner_changed',
  'account.recovery_key_changed',
  'delegate.added',
  'delegate.scope_changed',
  'delegate.removed',
  'memories.forgotten',
  'memories.exported',
  'memories.restored',
  'sign_in.granted',
  'sign_in.completed',
  'sign_in.revoked',
  'webhook.created',
  'webhook.deleted',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What an entry says; ids and numbers only. */
export interface AuditContent {
  /** When the relayer recorded it (RFC 3339, UTC, ms); a change on chain may be a few seconds older */
  at: string;
  /** One of `auditActions`; a newer relayer may have others */
  action: string;
  /** Delegate public key (64 hex digits) of a request, the relayer's own writer key, or sender address of a transaction */
  actor?: string;
  detail?: Record<string, string | number | boolean | string[]>;
}

export interface AuditEntry extends AuditContent {
  /** From 1, without gaps */
  seq: number;
  /** SHA-256 of the chain up to this entry, 64 hex digits */
  hash: string;
  /** The relayer's writer key that signed the chain up to here when this was recorded: the head with `signed_at` = `at` */
  writer_key: string;
  /** 128 hex digits */
  signature: string;
}

/** The end of the chain. */
export interface AuditHead {
  account_id: string;
  /** 0 while nothing has been recorded */
  seq: number;
  hash: string;
  signed_at: string;
  /**
   * One by each of the relayer's writer keys, newest first, so that a client that knows one of them learns the others. Empty
   * if the stored end of the chain was not signed by the relayer: then someone changed its database.
   */
  signatures: { writer_key: string; signature: string }[];
}

/** `POST /api/audit` */
export const auditRequest = z.object({
  /** `next_cursor` of the previous page: the number of the entry after which to continue */
  cursor: z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be the number of an entry')
    .optional(),
  limit: limitField(limits.auditLimit),
});
export type AuditRequest = z.infer<typeof auditRequest>;

/** Query of `GET /api/audit`: the same fields */
export const auditQuery = z.object({
  cursor: auditRequest.shape.cursor,
  limit: z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number, 0 or more')
    .optional(),
});

export interface AuditResponse {
  /** Oldest first */
  entries: AuditEntry[];
  /** Present when there are more; without it the entries reach `head` */
  next_cursor?: string;
  head: AuditHead;
}
