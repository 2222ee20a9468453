import type { Scenario } from '../scenario.ts';
import { alice, bob, delegate, laptop, mallory, phone, proofOf, server, tag } from './cast.ts';
import {
  add,
  addScoped,
  approve,
  at,
  by,
  create,
  deactivate,
  denied,
  epoch,
  now,
  refused,
  type ScopeParts,
  setScope,
  setVersion,
} from './steps.ts';

const maxU64 = 0xffff_ffff_ffff_ffffn;
const sixteenTags = Array.from({ length: 16 }, (_, n) => tag(n + 1));

const badScopes: [string, ScopeParts][] = [
  ['an unknown right in addition to the known ones', { perms: 15 }],
  ['only an unknown right', { perms: 8 }],
  ['all bits', { perms: 255 }],
  ['seventeen tags', { tags: [...sixteenTags, tag(17)] }],
  ['seventeen ignored tags', { all: true, tags: [...sixteenTags, tag(17)] }],
  ['a short tag', { tags: [tag(1), tag(2).slice(2)] }],
  ['a long tag', { tags: [`${tag(1)}00`] }],
  ['an empty tag', { tags: [''] }],
  ['a zero tag', { tags: [tag(1), tag(0)] }],
  ['an expiry in the past', { expiresAt: now - 1 }],
  ['an expiry at the current millisecond', { expiresAt: now }],
];

/** `add_delegate_key_scoped`. */
export const scopedScenarios: Scenario[] = [
  {
    name: 'a delegate is added with its consent and a scope',
    steps: [
      create(alice),
      epoch(
        0,
        addScoped(alice, phone, { perms: 1, tags: [tag(1), tag(2)], minEpoch: 3, expiresAt: now + 1 }),
      ),
      epoch(0, addScoped(alice, laptop, {})),
      addScoped(alice, server, { perms: 0, all: false }),
      addScoped(alice, delegate(4), { tags: sixteenTags }),
      addScoped(alice, delegate(5), { all: true, tags: [tag(1), tag(1)] }),
      addScoped(alice, delegate(6), { minEpoch: maxU64, expiresAt: maxU64 }),
    ],
  },
  ...badScopes.map(
    ([what, scope]): Scenario => ({
      name: `rejects a scope with ${what}`,
      steps: [
        create(alice),
        refused('bad_scope', addScoped(alice, phone, scope)),
        add(alice, laptop),
        refused('bad_scope', setScope(alice, laptop, scope)),
      ],
    }),
  ),
  {
    name: 'a delegate is added only with its own signature',
    steps: [
      create(alice),
      create(bob),
      ...[
        '',
        '00'.repeat(64),
        proofOf(phone, alice).slice(2),
        `${proofOf(phone, alice)}00`,
        proofOf(phone, bob),
        proofOf(laptop, alice),
        phone.sign(new TextEncoder().encode('memrelay-delegate-v1')),
        phone.sign(Buffer.from(alice.address.slice(2), 'hex')),
        flipLastBit(proofOf(phone, alice)),
      ].map((proof) => refused('bad_proof', addScoped(alice, phone, {}, { proof }))),
      addScoped(alice, phone, {}),
      addScoped(bob, phone, {}),
    ],
  },
  {
    name: 'adding with a scope has the same rules as adding without one',
    steps: [
      create(alice),
      refused('not_owner', by(mallory, addScoped(alice, phone, {}))),
      refused('not_owner', by(phone, addScoped(alice, phone, {}))),
      refused('bad_key_length', addScoped(alice, phone, {}, { publicKey: `${phone.publicKey}00` })),
      refused('small_order_key', addScoped(alice, phone, {}, { publicKey: '00'.repeat(32) })),
      refused('address_mismatch', addScoped(alice, phone, {}, { address: laptop.address })),
      refused('label_too_long', addScoped(alice, phone, {}, { label: 'x'.repeat(65) })),
      // The cheap checks come first, then the scope, then the signature.
      refused('label_too_long', addScoped(alice, phone, { perms: 8 }, { label: 'x'.repeat(65), proof: '' })),
      refused('bad_scope', addScoped(alice, phone, { perms: 8 }, { proof: '' })),
      addScoped(alice, phone, {}),
      refused('delegate_exists', addScoped(alice, phone, {})),
      refused('delegate_exists', add(alice, phone)),
      deactivate(alice),
      refused('deactivated', addScoped(alice, laptop, {})),
      setVersion(alice, 2),
      refused('wrong_version', addScoped(alice, laptop, {})),
    ],
  },
  {
    name: 'with a scope too, the owner cannot be a delegate, and there are at most twenty',
    steps: [
      create(delegate(9)),
      refused('delegate_is_owner', addScoped(delegate(9), delegate(9), {})),
      ...Array.from({ length: 20 }, (_, n) => add(delegate(9), delegate(n + 20))),
      refused('too_many_delegates', addScoped(delegate(9), phone, {})),
    ],
  },
  {
    name: 'a scope is accepted only if it expires after the current millisecond',
    steps: [
      create(alice),
      at(now, addScoped(alice, phone, { expiresAt: now + 1 })),
      refused('bad_scope', at(now + 1, addScoped(alice, laptop, { expiresAt: now + 1 }))),
      denied(approve(phone, alice)),
    ],
  },
];

function flipLastBit(proof: string): string {
  const bytes = Buffer.from(proof, 'hex');
  bytes[31]! ^= 1;
  return bytes.toString('hex');
}
