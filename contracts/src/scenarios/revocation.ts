import type { Scenario, Step } from '../scenario.ts';
import { alice, carol, laptop, phone, tag } from './cast.ts';
import {
  accept,
  add,
  addScoped,
  approve,
  approveAt,
  at,
  by,
  create,
  deactivate,
  denied,
  epoch,
  now,
  offer,
  prune,
  reactivate,
  remove,
  rotate,
  type ScopeParts,
  setScope,
} from './steps.ts';

/**
 * Tests what a delegate that fetched keys before a narrowing can still open. It has the keys of epoch 0, could not
 * fetch those of epoch 1 in advance, and cannot fetch them afterwards, when memories are sealed under them.
 */
function revocation(name: string, scope: ScopeParts, narrowing: Step[], after: Step[] = []): Scenario {
  return {
    name: `keys fetched before: ${name}`,
    steps: [
      create(alice),
      addScoped(alice, phone, scope),
      approveAt(phone, alice, { epoch: 0 }),
      denied(approveAt(phone, alice, { epoch: 1 })),
      denied(approveAt(alice, alice, { epoch: 1 })),
      ...narrowing,
      denied(approveAt(phone, alice, { epoch: 1 })),
      ...after,
    ],
  };
}

const lost = denied(approveAt(phone, alice, { epoch: 0 }));

export const revocationScenarios: Scenario[] = [
  revocation(
    'removed by the owner',
    {},
    [epoch(1, remove(alice, phone))],
    [lost, approve(alice, alice, { epoch: 1 })],
  ),
  revocation('removed by itself', {}, [epoch(1, by(phone, remove(alice, phone)))], [lost]),
  revocation('READ removed', {}, [epoch(1, setScope(alice, phone, { perms: 6 }))], [lost]),
  revocation(
    'namespace removed',
    {},
    [epoch(1, setScope(alice, phone, { tags: [tag(2)] }))],
    [lost, approveAt(phone, alice, { tag: tag(2), epoch: 1 })],
  ),
  revocation('expired and pruned', { expiresAt: now + 10 }, [epoch(1, at(now + 10, prune(alice)))], [lost]),
  revocation(
    'account deactivated',
    {},
    [epoch(1, deactivate(alice))],
    [lost, reactivate(alice), approveAt(phone, alice, { epoch: 1 })],
  ),
  revocation(
    'account transferred',
    {},
    [offer(alice, carol), epoch(1, accept(alice, carol))],
    [lost, denied(approveAt(alice, alice, { epoch: 1 })), approveAt(carol, alice, { epoch: 1 })],
  ),
  {
    name: 'keys fetched before: rotated, which does not affect remaining delegates',
    steps: [
      create(alice),
      add(alice, phone),
      add(alice, laptop),
      denied(approve(phone, alice, { epoch: 1 })),
      epoch(1, rotate(alice)),
      approve(phone, alice, { epoch: 1 }),
      approve(laptop, alice, { epoch: 0 }),
    ],
  },
  {
    name: 'keys fetched before: earlier expiry',
    steps: [
      create(alice),
      addScoped(alice, phone, { expiresAt: now + 100 }),
      approveAt(phone, alice, { epoch: 0 }),
      denied(approveAt(phone, alice, { epoch: 1 })),
      epoch(1, setScope(alice, phone, { expiresAt: now + 10 })),
      at(now + 9, approveAt(phone, alice, { epoch: 1 })),
      denied(at(now + 10, approveAt(phone, alice, { epoch: 1 }))),
      epoch(2, at(now + 10, prune(alice))),
      denied(at(now + 10, approveAt(phone, alice, { epoch: 2 }))),
    ],
  },
  {
    name: 'the expiry of a delegate does not bump the key epoch until it is pruned',
    steps: [
      create(alice),
      addScoped(alice, phone, { expiresAt: now + 10 }),
      denied(at(now + 10, approveAt(phone, alice))),
      epoch(0, at(now + 10, approveAt(alice, alice))),
      epoch(1, at(now + 10, by(laptop, prune(alice)))),
      at(now + 10, approveAt(alice, alice, { epoch: 1 })),
    ],
  },
];
