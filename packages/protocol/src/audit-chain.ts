import { sha256 } from '@noble/hashes/sha2.js';
import type { AuditContent, AuditEntry, AuditHead } from './audit-log.ts';
import { fromHex, toHex } from './bytes.ts';
import { canonicalJson } from './canonical-json.ts';

/**
 * The bytes of an audit log that are hashed and signed: a chain of hashes for each account. docs/audit.md describes it for people who check it with other programs.
 *
 *     hash(0)   = SHA-256("memrelay-audit-v1\n" ‖ account id, 32 bytes)
 *     hash(n)   = SHA-256("memrelay-audit-entry-v1\n" ‖ hash(n − 1) ‖ n as u64, big-endian ‖ content as canonical JSON)
 *     signature = Ed25519("memrelay-audit-head-v1\n" ‖ canonical JSON of {account_id, hash, seq, signed_at})
 *
 * The content is everything in an entry but `seq`, `hash`, `writer_key` and `signature`, unknown fields included.
 */

const encoder = new TextEncoder();

/** The part of an entry that is hashed. */
export function auditContentOf({ seq, hash, writer_key, signature, ...content }: AuditEntry): AuditContent {
  return content;
}

/** `hash(0)` of an account, hex. `accountId` has 64 hex digits after `0x`. */
export function auditStart(accountId: string): string {
  return toHex(
    sha256.create().update(encoder.encode('memrelay-audit-v1\n')).update(fromHex(accountId)).digest(),
  );
}

/** `hash(seq)`, hex. `content` is canonical JSON. */
export function auditHash(previous: string, seq: number, content: string): string {
  const number = new Uint8Array(8);
  new DataView(number.buffer).setBigUint64(0, BigInt(seq));
  return toHex(
    sha256
      .create()
      .update(encoder.encode('memrelay-audit-entry-v1\n'))
      .update(fromHex(previous))
      .update(number)
      .update(encoder.encode(content))
      .digest(),
  );
}

/** The bytes that a writer key signs. */
export function auditHeadMessage(
  head: Pick<AuditHead, 'account_id' | 'seq' | 'hash' | 'signed_at'>,
): Uint8Array {
  const { account_id, seq, hash, signed_at } = head;
  return encoder.encode(`memrelay-audit-head-v1\n${canonicalJson({ account_id, seq, hash, signed_at })}`);
}
