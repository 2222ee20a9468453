import { auditContentOf, auditHash, auditHeadMessage, auditStart } from './audit-chain.ts';
import type { AuditEntry, AuditHead } from './audit-log.ts';
import { fromHex } from './bytes.ts';
import { canonicalJson } from './canonical-json.ts';

/** A whole audit log, as a client reads it or as `memrelay audit export` writes it. */
export interface AuditChain {
  /** From the first on */
  entries: readonly AuditEntry[];
  head: AuditHead;
}

/** What a client keeps of the last log that it accepted. */
export interface SeenHead {
  seq: number;
  hash: string;
  /** The relayer's writer keys then, hex */
  writer_keys: string[];
}

/**
 * - `order`: an entry is missing, added or moved
 * - `changed`: an entry does not match its hash
 * - `forged`: an entry was not signed by the relayer
 * - `unsigned`: the end of the chain was not signed by the relayer
 * - `incomplete`: the entries do not reach the end of the chain
 * - `other_relayer`: none of the keys that the client knows signed the end of the chain
 * - `other_account`: it is the log of another account
 * - `truncated`: the chain is shorter than when the client last saw it
 * - `rewritten`: the chain is not a continuation of what the client last saw
 */
export type AuditProblemKind =
  | 'order'
  | 'changed'
  | 'forged'
  | 'unsigned'
  | 'incomplete'
  | 'other_relayer'
  | 'other_account'
  | 'truncated'
  | 'rewritten';

export interface AuditProblem {
  kind: AuditProblemKind;
  /** The first entry with this problem */
  seq: number;
}

type Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
type SignedHead = Parameters<typeof auditHeadMessage>[0];

/**
 * Checks a log and, where there is one, the head that the client saw last. Returns the first problem of each kind; none if
 * everything is in order. `verify` is a strict Ed25519 check. Never throws for what a relayer or a file contains, as long as
 * it has the types of `AuditChain`.
 */
export function checkAudit({ entries, head }: AuditChain, verify: Verify, seen?: SeenHead): AuditProblem[] {
  const problems = new Map<AuditProblemKind, number>();
  const report = (kind: AuditProblemKind, seq: number): void => {
    if (!problems.has(kind)) problems.set(kind, seq);
  };
  const isSigned = (signed: SignedHead, key: string, signature: string): boolean =>
    orFalse(() => verify(fromHex(key), auditHeadMessage(signed), fromHex(signature)));

  const keys = head.signatures.map(({ writer_key }) => writer_key);
  const allSigned = head.signatures.every(({ writer_key, signature }) =>
    isSigned(head, writer_key, signature),
  );
  if (keys.length === 0 || !allSigned) report('unsigned', head.seq);
  if (seen && !keys.some((key) => seen.writer_keys.includes(key))) report('other_relayer', head.seq);

  const hashes = [orFalse(() => auditStart(head.account_id)) || ''];
  for (const [i, entry] of entries.entries()) {
    if (entry.seq !== i + 1) report('order', i + 1);
    const computed = orFalse(() => auditHash(hashes[i]!, i + 1, canonicalJson(auditContentOf(entry))));
    if (computed !== entry.hash) report('changed', i + 1);
    hashes.push(entry.hash);
  }
  const trusted = keys.length > 0 ? keys : seen?.writer_keys;
  const isOurs = ({ seq, hash, at, writer_key, signature }: AuditEntry): boolean =>
    (trusted === undefined || trusted.includes(writer_key)) &&
    isSigned({ account_id: head.account_id, seq, hash, signed_at: at }, writer_key, signature);
  // The signature of the last entry covers all before it. The others only show where forged ones begin
  const last = entries.at(-1);
  if (last && !isOurs(last)) report('forged', entries.findIndex((entry) => !isOurs(entry)) + 1);

  if (entries.length !== head.seq || hashes.at(-1) !== head.hash)
    report('incomplete', Math.min(entries.length, head.seq) + 1);
  if (seen && head.seq < seen.seq) report('truncated', head.seq + 1);
  else if (seen && hashes[seen.seq] !== seen.hash) report('rewritten', seen.seq);
  return [...problems].map(([kind, seq]) => ({ kind, seq }));
}

/** What to keep of a log without problems. */
export function seenHeadOf({ seq, hash, signatures }: AuditHead): SeenHead {
  return { seq, hash, writer_keys: signatures.map(({ writer_key }) => writer_key) };
}

/** Values from a file may be no hex at all, or have no canonical form. */
function orFalse<T>(compute: () => T): T | false {
  try {
    return compute();
  } catch {
    return false;
  }
}
