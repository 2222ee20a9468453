import { readFile } from 'node:fs/promises';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { type AuditChain, type AuditProblem, checkAudit } from '@memrelay/protocol/audit-check';
import type { AuditEntry } from '@memrelay/protocol/audit-log';
import { replaceFile } from '@memrelay/protocol/secret-file-node';
import { type Audit, readAudit } from '@memrelay/sdk/audit';
import { type ConnectOptions, withClient } from '../client/connect.ts';
import { readSeen, saveSeen } from '../client/seen-audits.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { parseLimit } from '../terminal/limit-option.ts';
import type { Output } from '../terminal/output.ts';
import { columns, counted, plainText } from '../terminal/plain-text.ts';
import { moment } from './list.ts';

/** A log in a file, to keep and to verify without a relayer. */
interface AuditFile extends AuditChain {
  format: 'memrelay-audit-1';
  /** URL of the relayer */
  relayer: string;
}

const listed = { default: 50, max: 100_000 };

/** `memrelay audit`: what was done with the account, newest first. */
export async function listAudit(output: Output, options: ConnectOptions & { limit?: string }): Promise<void> {
  const limit = parseLimit(options.limit, listed);
  const { audit } = await readChecked(options);
  const entries = audit.entries.slice(-limit).reverse();
  output.result({ entries, head: audit.head, problems: audit.problems });
  const rows = entries.map((entry) => [
    `#${entry.seq}`,
    plainText(moment(entry.at)),
    plainText(entry.action),
    plainText(actorText(entry)),
    plainText(detailText(entry)),
  ]);
  for (const line of columns(rows)) output.line(line);
  if (entries.length === 0) output.line('Nothing has been recorded yet.');
  if (audit.problems.length > 0)
    output.line(
      output.paint('red', `This log is not in order: ${audit.problems.map(problemText).join(' ')}`),
    );
}

/**
 * `memrelay audit verify`: checks the relayer's log, or one in a file, against its hashes, its signatures and what this machine
 * saw last. Throws `ExitError` if it is not in order.
 */
export async function verifyAudit(
  output: Output,
  path: string | undefined,
  options: ConnectOptions & { accept?: boolean },
): Promise<void> {
  if (path !== undefined) return verifyFile(output, path);
  const { audit, relayer, isFirst } = await readChecked(options);
  const { head, problems } = audit;
  // What a relayer restored from a backup lacks is gone: its owner may accept that, but never a log that contradicts itself
  const accepted = options.accept ? problems.filter(({ kind }) => comparing.has(kind)) : [];
  requireInOrder(
    problems.filter((problem) => !accepted.includes(problem)),
    'The audit log of the relayer',
  );
  await saveSeen(relayer, head.account_id, audit.seen);
  report(output, audit, accepted.length > 0);
  if (isFirst)
    output.line(
      'This machine sees the log for the first time. From now on it notices if the relayer changes or shortens it.',
    );
}

/** `memrelay audit export`: writes the log to a file, also one that is not in order. */
export async function exportAudit(output: Output, path: string, options: ConnectOptions): Promise<void> {
  const { audit, relayer } = await readChecked(options);
  const { entries, head, problems } = audit;
  const file: AuditFile = { format: 'memrelay-audit-1', relayer: new URL(relayer).origin, head, entries };
  await replaceFile(path, `${JSON.stringify(file, null, 1)}\n`, 0o600);
  output.result({ path, entries: entries.length, problems });
  output.line(`${counted(entries.length, 'entry', 'entries')} written to ${path}.`);
  requireInOrder(problems, 'The audit log of the relayer');
}

async function verifyFile(output: Output, path: string): Promise<void> {
  const file = parseFile(path, await readFile(path, 'utf8'));
  const { head } = file;
  const seen = await readSeen(file.relayer, head.account_id);
  // A file may be older than what was seen since
  const compared = seen && seen.seq > head.seq ? { ...seen, seq: head.seq, hash: head.hash } : seen;
  const problems = checkAudit(file, nodePrimitives.ed25519Verify, compared);
  requireInOrder(problems, path);
  report(output, { ...file, problems }, false);
  if (!seen)
    output.line(
      'This machine has not seen the log of this relayer before, so it trusts the keys in the file.',
    );
}

/** The relayer's log, compared with what this machine saw last. */
async function readChecked(
  options: ConnectOptions,
): Promise<{ audit: Audit; relayer: string; isFirst: boolean }> {
  return withClient(options, async ({ client, serverUrl }) => {
    const seen = await readSeen(serverUrl, client.accountId);
    return { audit: await readAudit(client, { seen }), relayer: serverUrl, isFirst: seen === undefined };
  });
}

/** Problems that only the comparison with an earlier log shows. */
const comparing: ReadonlySet<string> = new Set(['truncated', 'rewritten', 'other_relayer']);

const problemTexts: Record<AuditProblem['kind'], string> = {
  order: 'an entry is missing, added or moved',
  changed: 'an entry was changed',
  forged: 'an entry was not written by the relayer',
  unsigned: 'its end is not signed by the relayer',
  incomplete: 'the entries do not reach its end',
  other_relayer: 'it is signed by other keys than before',
  other_account: 'it is the log of another account',
  truncated: 'it is shorter than when this machine last saw it',
  rewritten: 'it differs from what this machine last saw',
};

const problemText = ({ kind, seq }: AuditProblem): string => `${problemTexts[kind]} (#${seq}).`;

function requireInOrder(problems: readonly AuditProblem[], what: string): void {
  if (problems.length === 0) return;
  throw new ExitError(exitCodes.failed, `${what} is not in order: ${problems.map(problemText).join(' ')}`, {
    code: `audit_${problems[0]!.kind}`,
  });
}

function report(
  output: Output,
  { head, problems }: Pick<Audit, 'head' | 'problems'>,
  accepted: boolean,
): void {
  const keys = head.signatures.map(({ writer_key }) => writer_key);
  output.result({
    ok: true,
    seq: head.seq,
    hash: head.hash,
    writer_keys: keys,
    ...(accepted ? { accepted: problems } : {}),
  });
  output.line(`${counted(head.seq, 'entry', 'entries')}, all in order. Signed at ${head.signed_at} by`);
  for (const key of keys) output.line(`  ${key}`);
}

function actorText({ actor }: AuditEntry): string {
  return actor === undefined
    ? ''
    : actor.startsWith('0x')
      ? `${actor.slice(0, 10)}…`
      : `key ${actor.slice(0, 8)}…`;
}

function detailText({ detail = {} }: AuditEntry): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${String(value).slice(0, 70)}`)
    .join(' ');
}

function parseFile(path: string, text: string): AuditFile {
  try {
    const file = JSON.parse(text) as AuditFile;
    const { head, entries, relayer } = file;
    const isFile =
      file.format === 'memrelay-audit-1' &&
      Array.isArray(entries) &&
      entries.every((entry) => typeof entry === 'object' && entry !== null) &&
      Array.isArray(head.signatures) &&
      typeof head.account_id === 'string' &&
      URL.canParse(relayer);
    if (isFile) return file;
  } catch {
    // Not JSON, or without a head
  }
  throw new ExitError(exitCodes.usage, `${path} is not a file of \`memrelay audit export\`.`);
}
