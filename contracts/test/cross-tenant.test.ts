import { expect, test } from 'vitest';
import { packageFiles, runMoveTests, testFiles } from '../src/move-package.ts';

/**
 * Runs an attack on the Move VM that weaker rules allow: create an account, add your own key to it, and use your
 * account to request another account's memories. `apps/localnet/test/seal-policy.test.ts` tries it on the localnet
 * with Seal's own client.
 */
const attack = `
#[test_only]
module memrelay::cross_tenant_tests;

use memrelay::account::{Self, Account, Registry};
use memrelay::keys;
use memrelay::world;
use sui::clock::Clock;

const VICTIM: address = @0xa1;
const ATTACKER: address = @0xb0;
const KEY: vector<u8> = x"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fun accounts(registry: &mut Registry, clock: &Clock): (Account, Account) {
    let victim = account::new_account(registry, clock, &mut world::sent_by(VICTIM));
    let ctx = &mut world::sent_by(ATTACKER);
    let mut own = account::new_account(registry, clock, ctx);
    account::add_delegate_key(&mut own, KEY, keys::address_of(KEY), std::string::utf8(b"mine"), clock, ctx);
    (victim, own)
}

/// origin ‖ namespace tag ‖ epoch 0
fun identity_of(owner: address): vector<u8> {
    let mut id = std::bcs::to_bytes(&owner);
    id.append(x"05050505050505050505050505050505");
    id.append(x"0000000000000000");
    id
}

#[test]
fun the_attackers_key_reads_the_attackers_own_memories() {
    let (mut registry, clock) = world::begin();
    let (victim, own) = accounts(&mut registry, &clock);
    account::approve_for_testing(identity_of(ATTACKER), &own, &world::sent_by(keys::address_of(KEY)));
    std::unit_test::destroy(victim);
    std::unit_test::destroy(own);
    world::end(registry, clock)
}

#[test, expected_failure(abort_code = 100, location = memrelay::account)]
fun the_attackers_key_does_not_read_the_victims_memories() {
    let (mut registry, clock) = world::begin();
    let (_victim, own) = accounts(&mut registry, &clock);
    account::approve_for_testing(identity_of(VICTIM), &own, &world::sent_by(keys::address_of(KEY)));
    abort 0
}

#[test, expected_failure(abort_code = 100, location = memrelay::account)]
fun nor_at_a_time() {
    let (mut registry, clock) = world::begin();
    let (_victim, own) = accounts(&mut registry, &clock);
    account::approve_at_for_testing(identity_of(VICTIM), &own, &clock, &world::sent_by(keys::address_of(KEY)));
    abort 0
}
`;

/**
 * A weaker rule: it compares the owner with the identity of the memories, but accepts a delegate of any account
 * that is passed.
 */
const careless = `
fun may_read(account: &Account, id: &vector<u8>, reader: address, _now_ms: u64): bool {
    if (!account.active) return false;
    if (account.is_delegate_address(reader)) return true;
    reader == account.owner && slice(id, 0, TAG_START) == std::bcs::to_bytes(&account.owner)
}
`;

function runAttack(sources: Record<string, string>) {
  return runMoveTests({ ...sources, ...testFiles(), 'tests/cross_tenant_tests.move': attack });
}

test('a delegate of a separate account cannot read the memories of another account', async () => {
  const { passed, report } = await runAttack(packageFiles());
  expect(passed, report).toBe(true);
});

test("the same attack succeeds if a delegate's access is not checked against the memories' account", async () => {
  const sources = packageFiles();
  const account = sources['sources/account.move']!;
  const rule = /fun may_read\([\s\S]*?\n\}\n/;
  expect(account).toMatch(rule);
  const { passed, report } = await runAttack({
    ...sources,
    'sources/account.move': account.replace(rule, careless),
  });
  expect(passed).toBe(false);
  const failures = report.slice(report.indexOf('Test failures:'));
  expect(failures).toContain('the_attackers_key_does_not_read_the_victims_memories');
  expect(failures).toContain('nor_at_a_time');
  expect(failures).not.toContain('the_attackers_key_reads_the_attackers_own_memories');
});
