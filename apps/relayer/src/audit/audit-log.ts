import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { auditHash, auditHeadMessage, auditStart } from '@memrelay/protocol/audit-chain';
import type {
  AuditAction,
  AuditContent,
  AuditEntry,
  AuditHead,
  AuditRequest,
  AuditResponse,
} from '@memrelay/protocol/audit-log';
import { toHex } from '@memrelay/protocol/bytes';
import { canonicalJson } from '@memrelay/protocol/canonical-json';
import type { Logger } from 'pino';
import type { Db, Queryable } from '../base/db/db.ts';
import { bytesToAddress } from '../base/db/hex.ts';
import {
  insertEntries,
  lockHead,
  readEntries,
  readHead,
  recordedSources,
  type StoredEntry,
  type StoredHead,
} from './rows/audit-rows.ts';

/** What happened; ids and numbers only. */
export interface AuditedAction extends Omit<AuditContent, 'at' | 'action'> {
  action: AuditAction;
  /** Names a chain event: recorded once, however often it is appended */
  source?: string;
}

/** Appends to and reads the hash chains of all accounts (packages/protocol, audit-log.ts). */
export interface AuditLog {
  /**
   * Call it as the last statement of the transaction that does the work: writers of one account wait for each other from here
   * to the end of their transactions.
   */
  append(tx: Queryable, accountId: Buffer, ...actions: readonly AuditedAction[]): Promise<void>;
  /** One page, and the end of the chain, signed by every writer key. */
  read(db: Db, accountId: Buffer, request: AuditRequest): Promise<AuditResponse>;
}

/**
 * The log of a relayer with these writer keys, newest first (MEM_WRITER_KEYS). Each entry is signed when it is appended: an
 * attacker who can only write to the database cannot add one.
 */
export function createAuditLog(writerKeys: readonly Buffer[], log: Logger, now = () => new Date()): AuditLog {
  const signers = writerKeys.map((seed) => ({
    seed,
    publicKey: Buffer.from(nodePrimitives.ed25519PublicKey(seed)),
  }));
  const newest = signers[0]!;

  /** Whether the relayer appended the last entry. False if rows were changed, added or removed. */
  function isOurs(accountId: string, head: StoredHead, last: StoredEntry | undefined): boolean {
    if (!last?.hash.equals(head.hash) || !signers.some(({ publicKey }) => publicKey.equals(last.writerKey)))
      return false;
    const { at } = contentOf(last.content);
    const signed = { account_id: accountId, seq: head.seq, hash: head.hash.toString('hex'), signed_at: at };
    return nodePrimitives.ed25519Verify(last.writerKey, auditHeadMessage(signed), last.signature);
  }

  function signedHead(accountId: string, head: StoredHead, isSigned: boolean): AuditHead {
    const { seq, hash } = head;
    const signed = { account_id: accountId, seq, hash: hash.toString('hex'), signed_at: now().toISOString() };
    const message = auditHeadMessage(signed);
    return {
      ...signed,
      signatures: (isSigned ? signers : []).map(({ seed, publicKey }) => ({
        writer_key: publicKey.toString('hex'),
        signature: toHex(nodePrimitives.ed25519Sign(seed, message)),
      })),
    };
  }

  return {
    async append(tx, accountId, ...actions) {
      const account_id = bytesToAddress(accountId);
      const head = await lockHead(tx, accountId, Buffer.from(auditStart(account_id), 'hex'));
      const sources = actions.flatMap(({ source }) => source ?? []);
      const known = sources.length > 0 ? await recordedSources(tx, accountId, sources) : new Set();
      let { seq } = head;
      let hash = head.hash.toString('hex');
      const entries = actions
        .filter(({ source }) => source === undefined || !known.has(source))
        .map(({ source, ...action }): StoredEntry => {
          const at = now().toISOString();
          const content = canonicalJson({ ...action, at });
          seq += 1;
          hash = auditHash(hash, seq, content);
          const message = auditHeadMessage({ account_id, seq, hash, signed_at: at });
          const signature = Buffer.from(nodePrimitives.ed25519Sign(newest.seed, message));
          return {
            seq,
            content,
            hash: Buffer.from(hash, 'hex'),
            writerKey: newest.publicKey,
            signature,
            source,
          };
        });
      if (entries.length > 0) await insertEntries(tx, accountId, entries);
    },
    async read(db, accountId, { cursor, limit }) {
      const account_id = bytesToAddress(accountId);
      const stored = await readHead(db, accountId);
      const empty = { seq: 0, hash: Buffer.from(auditStart(account_id), 'hex') };
      if (!stored) return { entries: [], head: signedHead(account_id, empty, true) };
      const after = Number(cursor ?? 0);
      const found = await readEntries(db, accountId, { after, upTo: stored.seq, limit });
      const isLastPage = found.length === 0 || found.at(-1)!.seq === stored.seq;
      const last = isLastPage && found.length > 0 ? found.at(-1) : await lastOf(db, accountId, stored.seq);
      const isSigned = isOurs(account_id, stored, last);
      if (!isSigned)
        log.error({ account_id, seq: stored.seq }, 'the audit log of an account was changed in the database');
      return {
        entries: found.map(entryOf),
        ...(isLastPage ? {} : { next_cursor: String(found.at(-1)!.seq) }),
        head: signedHead(account_id, stored, isSigned),
      };
    },
  };
}

async function lastOf(db: Db, accountId: Buffer, seq: number): Promise<StoredEntry | undefined> {
  const [last] = await readEntries(db, accountId, { after: seq - 1, upTo: seq, limit: 1 });
  return last;
}

function entryOf({ seq, content, hash, writerKey, signature }: StoredEntry): AuditEntry {
  return {
    ...contentOf(content),
    seq,
    hash: toHex(hash),
    writer_key: toHex(writerKey),
    signature: toHex(signature),
  };
}

/** Whatever an attacker wrote into a row: the client sees that it does not match its hash. */
function contentOf(text: string): AuditContent {
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && 'at' in content && 'action' in content)
      return content as AuditContent;
  } catch {
    // Not JSON
  }
  return { at: '', action: 'unreadable' };
}
