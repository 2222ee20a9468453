import type { Scenario } from '../scenario.ts';
import { alice, bob, carol, mallory, phone } from './cast.ts';
import {
  accept,
  add,
  approve,
  by,
  call,
  create,
  deactivate,
  denied,
  epoch,
  offer,
  reactivate,
  refused,
  rotate,
  setVersion,
} from './steps.ts';

/** Creating, deactivating and rotating accounts. */
export const accountScenarios: Scenario[] = [
  {
    name: 'each address can create one account',
    steps: [
      epoch(0, create(alice)),
      refused('account_exists', create(alice)),
      refused('account_exists', call(alice, 'create_account')),
      call(bob, 'create_account'),
      refused('account_exists', call(bob, 'create_account')),
      refused('account_exists', create(bob)),
    ],
  },
  {
    name: 'after a transfer the creating address cannot create another account, but the new owner can',
    steps: [
      create(alice),
      offer(alice, carol),
      accept(alice, carol),
      refused('account_exists', create(alice)),
      create(carol),
      refused('account_exists', create(carol)),
    ],
  },
  {
    name: 'deactivating bumps, reactivating does not',
    steps: [
      create(alice),
      add(alice, phone),
      refused('already_active', reactivate(alice)),
      refused('not_owner', by(mallory, deactivate(alice))),
      refused('not_owner', by(phone, deactivate(alice))),
      epoch(1, deactivate(alice)),
      refused('already_inactive', deactivate(alice)),
      denied(approve(alice, alice)),
      denied(approve(phone, alice)),
      refused('not_owner', by(mallory, reactivate(alice))),
      refused('not_owner', by(phone, reactivate(alice))),
      epoch(1, reactivate(alice)),
      refused('already_active', reactivate(alice)),
      approve(phone, alice, { epoch: 1 }),
    ],
  },
  {
    name: 'only the owner rotates the key epoch, even while inactive',
    steps: [
      create(alice),
      add(alice, phone),
      refused('not_owner', by(phone, rotate(alice))),
      refused('not_owner', by(mallory, rotate(alice))),
      epoch(1, rotate(alice)),
      epoch(2, rotate(alice)),
      epoch(3, deactivate(alice)),
      epoch(4, rotate(alice)),
    ],
  },
  {
    name: 'functions reject an account of another version',
    steps: [
      create(alice),
      setVersion(alice, 2),
      refused('wrong_version', deactivate(alice)),
      refused('wrong_version', rotate(alice)),
      setVersion(alice, 0),
      refused('wrong_version', rotate(alice)),
      setVersion(alice, 1),
      deactivate(alice),
      setVersion(alice, 2),
      refused('wrong_version', reactivate(alice)),
      refused('wrong_version', by(mallory, reactivate(alice))),
    ],
  },
];
