import type { AuditEntry } from '@memrelay/protocol/audit-log';
import { expect, it } from 'vitest';
import { readersOf } from '../src/access/readers.ts';
import { trailOf } from '../src/access/trail.ts';
import type { DelegateState } from '../src/wallet/wallet-api.ts';

const tag = 'a'.repeat(32);
const other = 'b'.repeat(32);
const day = 86_400_000;
const storedAt = 10 * day;
const now = 20 * day;

function key(label: string, scope: Partial<DelegateState['scope']> = {}, minEpoch = '0'): DelegateState {
  const all = { perms: 7, allNamespaces: true, tags: [], expiresAtMs: '0' };
  return { publicKey: label, label, createdAt: 12 * day, scope: { ...all, ...scope }, minEpoch };
}
const account = (...delegates: DelegateState[]) => ({
  id: '0x1',
  origin: '0x2',
  active: true,
  keyEpoch: '3',
  delegates,
});
let seq = 0;
const entry = (at: number, action: string, detail: NonNullable<AuditEntry['detail']>): AuditEntry => ({
  seq: ++seq,
  at: new Date(at).toISOString(),
  action,
  detail,
  hash: '',
  writer_key: '',
  signature: '',
});
const full = { perms: 7, all_namespaces: true, tags: [], min_epoch: '0', expires_at_ms: '0' };
const readable = { tag, keyEpoch: 2, storedAt };
const labels = (found: { label: string | undefined }[]) => found.map(({ label }) => label);

it('lists keys whose rights, namespaces, first epoch and expiry allow reading', () => {
  const { readers, former } = readersOf(
    account(
      key('all'),
      key('this namespace', { allNamespaces: false, tags: [other, tag] }),
      key('another namespace', { allNamespaces: false, tags: [other] }),
      key('may only save', { perms: 2 }),
      key('later epochs', {}, '3'),
      key('expired since', { expiresAtMs: String(15 * day) }),
      key('expired before', { expiresAtMs: String(5 * day) }),
      key('until later', { expiresAtMs: String(30 * day) }),
    ),
    [],
    readable,
    now,
  );
  expect(labels(readers)).toEqual(['all', 'this namespace', 'until later']);
  expect(readers[2]).toMatchObject({ since: 12 * day, until: 30 * day });
  expect(former).toMatchObject([{ label: 'expired since', until: 15 * day }]);
});

it('takes from the log since when a key may read, and which keys could earlier', () => {
  const { readers, former } = readersOf(
    account(key('kept'), key('widened')),
    [
      entry(1 * day, 'delegate.added', { ...full, public_key: 'kept', address: '0xa' }),
      entry(1 * day, 'delegate.added', { ...full, perms: 2, public_key: 'widened', address: '0xb' }),
      entry(2 * day, 'delegate.added', { ...full, public_key: 'gone early', address: '0xc' }),
      entry(2 * day, 'delegate.added', { ...full, public_key: 'gone', address: '0xd' }),
      entry(2 * day, 'delegate.added', { ...full, public_key: 'narrowed', address: '0xe' }),
      entry(3 * day, 'delegate.removed', { public_key: 'gone early', address: '0xc' }),
      entry(11 * day, 'delegate.scope_changed', { ...full, address: '0xb' }),
      entry(14 * day, 'delegate.removed', { public_key: 'gone', address: '0xd' }),
      entry(15 * day, 'delegate.scope_changed', { ...full, perms: 2, address: '0xe' }),
    ],
    readable,
    now,
  );
  expect(readers).toMatchObject([
    { label: 'kept', since: undefined },
    { label: 'widened', since: 11 * day },
  ]);
  expect(former).toMatchObject([
    { publicKey: 'narrowed', until: 15 * day },
    { publicKey: 'gone', until: 14 * day },
  ]);
});

it('the trail of a memory has its own entries and those of its namespace since it was stored', () => {
  const entries = [
    entry(1 * day, 'account.created', {}),
    entry(11 * day, 'memories.exported', { count: 3, tags: [tag] }),
    entry(12 * day, 'memories.exported', { count: 3, tags: [other] }),
    entry(13 * day, 'memories.forgotten', { count: 1, ids: ['another'], tag }),
    entry(14 * day, 'memories.forgotten', { count: 1, ids: ['this'], tag }),
    entry(15 * day, 'delegate.added', { ...full, all_namespaces: false, tags: [other] }),
    entry(16 * day, 'delegate.removed', { public_key: 'x', address: '0xf' }),
    entry(17 * day, 'sign_in.granted', { grant: 'g' }),
  ];
  expect(trailOf(entries, { id: 'this', tag, storedAt }).map(({ at }) => Date.parse(at) / day)).toEqual([
    16, 14, 11,
  ]);
});
