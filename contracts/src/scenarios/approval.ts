import type { Scenario, Step } from '../scenario.ts';
import {
  alice,
  bob,
  carol,
  delegate,
  identity,
  laptop,
  littleEndian,
  mallory,
  phone,
  server,
  tag,
} from './cast.ts';
import {
  add,
  addScoped,
  approve,
  approveAt,
  at,
  create,
  deactivate,
  denied,
  now,
  offer,
  rotate,
  setVersion,
} from './steps.ts';

const own = identity(alice);
const originHex = own.slice(0, 64);

/** The same query to both functions. */
function both(ask: (name: typeof approve) => Step): Step[] {
  return [ask(approve), ask(approveAt)];
}

/** `seal_approve` and `seal_approve_at` on unchanged accounts. `revocation.ts` tests the effects of changes. */
export const approvalScenarios: Scenario[] = [
  {
    name: 'the owner and a delegate read',
    steps: [
      create(alice),
      add(alice, phone),
      ...both((ask) => ask(alice, alice)),
      ...both((ask) => ask(phone, alice)),
      ...both((ask) => ask(phone, alice, { tag: 'ff'.repeat(16) })),
    ],
  },
  {
    name: 'no one else reads',
    steps: [
      create(alice),
      create(bob),
      add(alice, phone),
      add(bob, laptop),
      offer(alice, carol),
      ...[mallory, bob, laptop, carol].flatMap((who) => both((ask) => denied(ask(who, alice)))),
    ],
  },
  {
    name: 'an account does not give access to memories of another account',
    steps: [
      create(alice),
      create(bob),
      add(alice, phone),
      add(bob, laptop),
      // The owner and the delegate of bob's account, on bob's account, with alice's identity.
      ...[bob, laptop, alice, phone].flatMap((who) => both((ask) => denied(ask(who, bob, own)))),
      ...[bob, laptop].flatMap((who) => both((ask) => denied(ask(who, alice, identity(bob))))),
      ...both((ask) => denied(ask(alice, alice, identity(bob)))),
      ...both((ask) => denied(ask(phone, alice, identity(bob)))),
    ],
  },
  {
    name: 'an identity has exactly 56 bytes, and begins with the origin',
    steps: [
      create(alice),
      add(alice, phone),
      ...[
        '',
        originHex,
        own.slice(0, 96),
        own.slice(0, 110),
        `${own}00`,
        own.repeat(2),
        // The origin is at the end instead of the beginning.
        `${tag(1)}${littleEndian(0)}${originHex}`,
        `${'00'.repeat(24)}${originHex}`,
        `00${own.slice(0, 110)}`,
        `${own.slice(2)}00`,
        `a0${own.slice(2)}`,
        `${originHex.slice(0, 62)}a0${own.slice(64)}`,
      ].flatMap((id) => [denied(approve(alice, alice, id)), denied(approveAt(phone, alice, id))]),
    ],
  },
  {
    name: 'no one reads beyond the key epoch, not even the owner',
    steps: [
      create(alice),
      add(alice, phone),
      ...[alice, phone].flatMap((who) => both((ask) => denied(ask(who, alice, { epoch: 1 })))),
      rotate(alice),
      ...[alice, phone].flatMap((who) => [
        approve(who, alice, { epoch: 0 }),
        approve(who, alice, { epoch: 1 }),
        denied(approve(who, alice, { epoch: 2 })),
        denied(approve(who, alice, { epoch: 256 })),
        // 1 in big-endian
        denied(approve(who, alice, { epoch: 1n << 56n })),
        denied(approveAt(who, alice, { epoch: 0xffff_ffff_ffff_ffffn })),
      ]),
    ],
  },
  {
    name: 'a delegate reads only its namespaces',
    steps: [
      create(alice),
      addScoped(alice, phone, { tags: [tag(1), tag(2)] }),
      addScoped(alice, laptop, { all: false }),
      addScoped(alice, server, { all: true, tags: [tag(1)] }),
      approve(phone, alice, { tag: tag(1) }),
      approve(phone, alice, { tag: tag(2) }),
      denied(approve(phone, alice, { tag: tag(3) })),
      denied(approve(phone, alice, { tag: tag(0) })),
      denied(approve(phone, alice, { tag: `${tag(1).slice(2)}02` })),
      denied(approve(laptop, alice, { tag: tag(1) })),
      denied(approve(laptop, alice, { tag: tag(0) })),
      approve(server, alice, { tag: tag(3) }),
    ],
  },
  {
    name: 'a delegate reads only with READ',
    steps: [
      create(alice),
      ...Array.from({ length: 8 }, (_, perms) => addScoped(alice, delegate(perms + 20), { perms })),
      ...Array.from({ length: 8 }, (_, perms) =>
        both((ask) =>
          perms & 1 ? ask(delegate(perms + 20), alice) : denied(ask(delegate(perms + 20), alice)),
        ),
      ).flat(),
    ],
  },
  {
    name: 'a delegate reads nothing from before its first key epoch',
    steps: [
      create(alice),
      rotate(alice),
      rotate(alice),
      rotate(alice),
      addScoped(alice, phone, { minEpoch: 2 }),
      addScoped(alice, laptop, { minEpoch: 4 }),
      ...both((ask) => denied(ask(phone, alice, { epoch: 1 }))),
      ...both((ask) => ask(phone, alice, { epoch: 2 })),
      ...both((ask) => ask(phone, alice, { epoch: 3 })),
      denied(approve(phone, alice, { epoch: 4 })),
      denied(approve(laptop, alice, { epoch: 3 })),
      denied(approve(laptop, alice, { epoch: 4 })),
    ],
  },
  {
    name: 'a delegate with an expiry reads until it expires, and only through seal_approve_at',
    steps: [
      create(alice),
      addScoped(alice, phone, { expiresAt: now + 10 }),
      addScoped(alice, laptop, { expiresAt: 0xffff_ffff_ffff_ffffn }),
      addScoped(alice, server, {}),
      denied(approve(phone, alice)),
      denied(approve(laptop, alice)),
      approveAt(phone, alice),
      approveAt(laptop, alice),
      at(now + 9, approveAt(phone, alice)),
      denied(at(now + 10, approveAt(phone, alice))),
      denied(at(now + 11, approveAt(phone, alice))),
      denied(at(now + 11, approve(phone, alice))),
      ...both((ask) => at(now + 11, ask(server, alice))),
      ...both((ask) => at(now + 11, ask(alice, alice))),
    ],
  },
  {
    name: 'no one reads from an inactive account or at another version',
    steps: [
      create(alice),
      add(alice, phone),
      setVersion(alice, 2),
      ...[alice, phone].flatMap((who) => both((ask) => denied(ask(who, alice)))),
      setVersion(alice, 0),
      denied(approve(alice, alice)),
      setVersion(alice, 1),
      deactivate(alice),
      ...[alice, phone].flatMap((who) => both((ask) => denied(ask(who, alice)))),
    ],
  },
];
