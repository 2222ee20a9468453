import { auditContentOf, auditHash, auditHeadMessage, auditStart } from '@memrelay/protocol/audit-chain';
import { type AuditChain, checkAudit, type SeenHead, seenHeadOf } from '@memrelay/protocol/audit-check';
import type { AuditContent, AuditEntry, AuditHead } from '@memrelay/protocol/audit-log';
import { toHex } from '@memrelay/protocol/bytes';
import { canonicalJson } from '@memrelay/protocol/canonical-json';
import { expect, it } from 'vitest';
import { createSigner, parsePrivateKey, verifySignature } from '../src/wire/signer.ts';

/**
 * `vectors/audit-v1.json` has logs and the problems that every client must find in them. The Python client's tests read the
 * same file. `npx vitest run packages/sdk/test/audit-vectors.test.ts -u` writes it.
 */

const accountId = `0x${'0a'.repeat(32)}`;
/** The keys of RFC 8032, 7.1, tests 1, 2 and 3. */
const [current, earlier, stranger] = [
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
].map((seed) => createSigner(parsePrivateKey(seed)));
type Signer = NonNullable<typeof current>;

async function sign(signer: Signer, head: Parameters<typeof auditHeadMessage>[0]) {
  return {
    writer_key: toHex(signer.publicKey),
    signature: toHex(await signer.sign(auditHeadMessage(head))),
  };
}

async function chainOf(
  contents: readonly AuditContent[],
  signers: readonly Signer[] = [current!],
  account = accountId,
): Promise<AuditChain> {
  const entries: AuditEntry[] = [];
  let hash = auditStart(account);
  for (const [i, content] of contents.entries()) {
    hash = auditHash(hash, i + 1, canonicalJson(content));
    const signed = { account_id: account, seq: i + 1, hash, signed_at: content.at };
    entries.push({ ...content, seq: i + 1, hash, ...(await sign(signers[0]!, signed)) });
  }
  return { entries, head: await headOf(account, contents.length, hash, signers) };
}

async function headOf(
  account: string,
  seq: number,
  hash: string,
  signers: readonly Signer[],
): Promise<AuditHead> {
  const head = { account_id: account, seq, hash, signed_at: '2027-03-02T10:14:03.120Z' };
  return { ...head, signatures: await Promise.all(signers.map((signer) => sign(signer, head))) };
}

const at = (second: number): string => `2027-03-02T10:12:0${second}.000Z`;
const contents: AuditContent[] = [
  { at: at(1), action: 'account.created', detail: { transaction: 'x', key_epoch: 0 } },
  {
    at: at(2),
    action: 'memories.forgotten',
    actor: 'cd'.repeat(32),
    detail: { ids: ['a', 'b'], count: Number.MAX_SAFE_INTEGER, shared: true },
  },
  // Names in the order of UTF-16, not of code points; escapes; a field that this version does not know
  { at: at(3), action: 'ünknown "\\\n\u007f\u2028', detail: { '\uffff': 1, '😀': -2, z: false } },
  { at: at(4), action: 'sign_in.revoked', later: { field: ['kept'] } } as AuditContent,
];
const withEntry = (chain: AuditChain, seq: number, change: object): AuditChain => ({
  ...chain,
  entries: chain.entries.map((entry) => (entry.seq === seq ? { ...entry, ...change } : entry)),
});

async function cases(): Promise<[string, AuditChain, SeenHead?][]> {
  const chain = await chainOf(contents);
  const { entries, head } = chain;
  const shorter = await chainOf(contents.slice(0, 2));
  const rotated = await chainOf(contents, [current!, earlier!]);
  const before = seenHeadOf((await chainOf(contents.slice(0, 3), [earlier!])).head);
  const seen = seenHeadOf(head);
  const forged = await chainOf(contents, [stranger!]);
  const swapped = [entries[0]!, entries[2]!, entries[1]!, entries[3]!];
  const otherSignature = head.signatures.map((each) => ({
    ...each,
    signature: `ab${each.signature.slice(2)}`,
  }));
  return [
    ['in order', chain],
    ['in order, and as before', chain, seen],
    ['in order, and longer than before', chain, seenHeadOf(shorter.head)],
    ['nothing recorded yet', await chainOf([])],
    ['a key was added', rotated, before],
    ['an unknown key', chain, before],
    ['a changed field', withEntry(chain, 2, { actor: 'ab'.repeat(32) })],
    ['a changed unknown field', withEntry(chain, 4, { later: { field: [] } })],
    ['an added field', withEntry(chain, 1, { extra: 1 })],
    ['a fraction', withEntry(chain, 1, { detail: { key_epoch: 0.5 } })],
    ['a null', withEntry(chain, 1, { detail: { key_epoch: null } })],
    ['an unsafe integer', withEntry(chain, 2, { detail: { count: 2 ** 53 } })],
    ['a hash that is no hex', withEntry(chain, 3, { hash: 'zz' })],
    ['a signature that is no hex', withEntry(chain, 4, { signature: 'zz' })],
    ['a missing entry', { entries: entries.filter(({ seq }) => seq !== 2), head }],
    ['a missing last entry', { entries: entries.slice(0, 3), head }],
    ['no entries', { entries: [], head }],
    ['swapped entries', { entries: swapped, head }],
    ['an end without signatures', { entries, head: { ...head, signatures: [] } }, seen],
    ['an end with another signature', { entries, head: { ...head, signatures: otherSignature } }],
    ['signed by a stranger', { ...forged, head: await headOf(accountId, 4, head.hash, [current!]) }],
    ['cut off', shorter, seen],
    ['cut off and continued', await chainOf([...contents.slice(0, 2), ...contents.slice(0, 2)]), seen],
    ['an account id that is no hex', { entries, head: { ...head, account_id: '0xzz' } }],
    [
      'of another account',
      { entries, head: (await chainOf(contents, [current!], `0x${'0b'.repeat(32)}`)).head },
    ],
  ];
}

it('finds the problems of the vectors', async () => {
  const vectors = (await cases()).map(([name, chain, seen]) => ({
    name,
    ...chain,
    ...(seen ? { seen } : {}),
    problems: checkAudit(chain, verifySignature, seen),
  }));
  expect(vectors.filter(({ problems }) => problems.length === 0).map(({ name }) => name)).toEqual([
    'in order',
    'in order, and as before',
    'in order, and longer than before',
    'nothing recorded yet',
    'a key was added',
  ]);
  const kinds = new Set(vectors.flatMap(({ problems }) => problems.map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual([
    'changed',
    'forged',
    'incomplete',
    'order',
    'other_relayer',
    'rewritten',
    'truncated',
    'unsigned',
  ]);
  expect(auditContentOf(vectors[0]!.entries[3]!)).toEqual(contents[3]);
  await expect(`${JSON.stringify(vectors, null, 1)}\n`).toMatchFileSnapshot('../vectors/audit-v1.json');
});
