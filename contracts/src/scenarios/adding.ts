import { delegateAddress } from '@memrelay/chain/delegate-key';
import type { Scenario } from '../scenario.ts';
import { smallOrderEd25519, withTopBit } from './bad-points.ts';
import { alice, bob, carol, delegate, laptop, mallory, phone, server } from './cast.ts';
import {
  add,
  approve,
  by,
  create,
  deactivate,
  epoch,
  offer,
  reactivate,
  refused,
  remove,
  setVersion,
} from './steps.ts';

const self = delegate(9);
/** y = 2 and its non-canonical form p + 2, which are unusual but not of small order. */
const unusualKeys = [`02${'00'.repeat(31)}`, `ef${'ff'.repeat(30)}7f`];

/** `add_delegate_key`. */
export const addingScenarios: Scenario[] = [
  {
    name: 'adding delegates does not bump the key epoch',
    steps: [
      create(alice),
      epoch(0, add(alice, phone)),
      epoch(0, add(alice, laptop, { label: '' })),
      epoch(0, add(alice, server, { label: 'büro 🏠' })),
    ],
  },
  {
    name: 'only the owner adds delegates',
    steps: [
      create(alice),
      create(bob),
      add(alice, phone),
      offer(alice, carol),
      refused('not_owner', by(mallory, add(alice, laptop))),
      refused('not_owner', by(bob, add(alice, laptop))),
      refused('not_owner', by(carol, add(alice, laptop))),
      refused('not_owner', by(phone, add(alice, laptop))),
      refused('not_owner', by(laptop, add(alice, laptop))),
    ],
  },
  {
    name: 'no delegates are added while inactive or at another version',
    steps: [
      create(alice),
      deactivate(alice),
      refused('deactivated', add(alice, phone)),
      refused('not_owner', by(mallory, add(alice, phone))),
      reactivate(alice),
      setVersion(alice, 2),
      refused('wrong_version', add(alice, phone)),
      refused('wrong_version', by(mallory, add(alice, phone))),
      setVersion(alice, 1),
      add(alice, phone),
    ],
  },
  {
    name: 'a key must have 32 bytes',
    steps: [
      create(alice),
      refused('bad_key_length', add(alice, phone, { publicKey: '' })),
      refused('bad_key_length', add(alice, phone, { publicKey: phone.publicKey.slice(2) })),
      refused('bad_key_length', add(alice, phone, { publicKey: `${phone.publicKey}00` })),
    ],
  },
  {
    name: 'a key must not be of small order, in any encoding',
    steps: [
      create(alice),
      ...smallOrderEd25519
        .flatMap((key) => [key, withTopBit(key)])
        .map((publicKey) => refused('small_order_key', add(alice, phone, keyWithAddress(publicKey)))),
      ...unusualKeys.map((publicKey) => add(alice, phone, keyWithAddress(publicKey))),
    ],
  },
  {
    name: 'the address must be that of the key',
    steps: [
      create(alice),
      refused('address_mismatch', add(alice, phone, { address: laptop.address })),
      refused('address_mismatch', add(alice, phone, { address: mallory.address })),
      refused('address_mismatch', add(alice, phone, { address: `0x${phone.publicKey}` })),
      refused('address_mismatch', add(alice, phone, { address: alice.address })),
      add(alice, phone),
    ],
  },
  {
    name: 'the owner cannot be its own delegate, even if its address is that of a key',
    steps: [create(self), refused('delegate_is_owner', add(self, self)), add(self, phone)],
  },
  {
    name: 'an account cannot have a key twice',
    steps: [
      create(alice),
      create(bob),
      add(alice, phone),
      refused('delegate_exists', add(alice, phone)),
      refused('delegate_exists', add(alice, phone, { label: 'other' })),
      add(bob, phone),
    ],
  },
  {
    name: 'a label has at most 64 bytes, not characters',
    steps: [
      create(alice),
      refused('label_too_long', add(alice, phone, { label: 'x'.repeat(65) })),
      refused('label_too_long', add(alice, phone, { label: 'é'.repeat(33) })),
      add(alice, phone, { label: 'x'.repeat(64) }),
      add(alice, laptop, { label: 'é'.repeat(32) }),
    ],
  },
  {
    name: 'an account has at most twenty delegates',
    steps: [
      create(alice),
      ...Array.from({ length: 20 }, (_, n) => add(alice, delegate(n + 20))),
      refused('too_many_delegates', add(alice, phone)),
      refused('delegate_exists', add(alice, delegate(20))),
      approve(delegate(39), alice),
      epoch(1, remove(alice, delegate(25))),
      add(alice, phone),
      refused('too_many_delegates', add(alice, laptop)),
    ],
  },
];

function keyWithAddress(publicKey: string) {
  return { publicKey, address: delegateAddress(Buffer.from(publicKey, 'hex')) };
}
