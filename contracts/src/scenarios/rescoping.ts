import type { Scenario } from '../scenario.ts';
import { alice, bob, laptop, mallory, phone, tag } from './cast.ts';
import {
  add,
  addScoped,
  by,
  create,
  deactivate,
  epoch,
  now,
  refused,
  remove,
  type ScopeParts,
  setScope,
  setVersion,
} from './steps.ts';

const base: ScopeParts = { perms: 3, tags: [tag(1), tag(2)], minEpoch: 5, expiresAt: now + 100 };

const narrowings: [string, ScopeParts, ScopeParts][] = [
  ['READ is removed', base, { ...base, perms: 2 }],
  ['WRITE is removed', base, { ...base, perms: 1 }],
  ['FORGET is removed', { ...base, perms: 7 }, { ...base, perms: 3 }],
  ['all rights are removed', base, { ...base, perms: 0 }],
  ['one right is replaced by another', base, { ...base, perms: 5 }],
  ['all namespaces become some', { ...base, all: true }, base],
  ['all namespaces become none', { ...base, all: true, tags: [] }, { ...base, all: false, tags: [] }],
  ['a namespace is removed', base, { ...base, tags: [tag(2)] }],
  ['a namespace is replaced by another', base, { ...base, tags: [tag(1), tag(3)] }],
  ['a namespace is replaced by several others', base, { ...base, tags: [tag(2), tag(3), tag(4)] }],
  ['the first key epoch becomes later', base, { ...base, minEpoch: 6 }],
  ['the expiry becomes earlier', base, { ...base, expiresAt: now + 99 }],
  ['an expiry is set', { ...base, expiresAt: 0 }, { ...base, expiresAt: 0xffff_ffff_ffff_ffffn }],
  [
    'the expiry becomes earlier while everything else is added',
    base,
    { perms: 7, all: true, minEpoch: 0, expiresAt: now + 99 },
  ],
];

const widenings: [string, ScopeParts, ScopeParts][] = [
  ['nothing changes', base, base],
  ['a right is added', base, { ...base, perms: 7 }],
  ['a namespace is added', base, { ...base, tags: [tag(3), tag(2), tag(1)] }],
  ['a namespace is listed twice', base, { ...base, tags: [tag(1), tag(2), tag(2)] }],
  ['some namespaces become all', base, { ...base, all: true, tags: [] }],
  ['ignored tags are removed', { ...base, all: true }, { ...base, all: true, tags: [] }],
  ['the first key epoch becomes earlier', base, { ...base, minEpoch: 4 }],
  ['the expiry becomes later', base, { ...base, expiresAt: now + 101 }],
  ['the expiry is removed', base, { ...base, expiresAt: 0 }],
];

/** `set_delegate_scope`. */
export const rescopingScenarios: Scenario[] = [
  ...narrowings.map(
    ([what, before, after]): Scenario => ({
      name: `the key epoch increases when ${what}`,
      steps: [create(alice), addScoped(alice, phone, before), epoch(1, setScope(alice, phone, after))],
    }),
  ),
  ...widenings.map(
    ([what, before, after]): Scenario => ({
      name: `the key epoch does not change when ${what}`,
      steps: [create(alice), addScoped(alice, phone, before), epoch(0, setScope(alice, phone, after))],
    }),
  ),
  {
    name: 'a scope changes only for the given delegate',
    steps: [
      create(alice),
      add(alice, phone),
      add(alice, laptop),
      epoch(1, setScope(alice, laptop, base)),
      epoch(2, setScope(alice, phone, { perms: 1 })),
      epoch(2, setScope(alice, phone, {})),
    ],
  },
  {
    name: 'only the owner of an active account changes scopes, and only of delegates',
    steps: [
      create(alice),
      create(bob),
      add(alice, phone),
      add(bob, laptop),
      refused('not_owner', by(mallory, setScope(alice, phone, base))),
      refused('not_owner', by(bob, setScope(alice, phone, base))),
      refused('not_owner', by(phone, setScope(alice, phone, {}))),
      refused('delegate_not_found', setScope(alice, laptop, base)),
      refused('delegate_not_found', setScope(alice, alice, base)),
      refused('delegate_not_found', setScope(alice, laptop, { perms: 8 })),
      deactivate(alice),
      refused('deactivated', setScope(alice, phone, base)),
      setVersion(alice, 2),
      refused('wrong_version', setScope(alice, phone, base)),
      remove(bob, laptop),
      refused('delegate_not_found', setScope(bob, laptop, {})),
    ],
  },
];
