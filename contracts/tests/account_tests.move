/// Cases that the generated scenarios cannot express: the read-only functions, and shared accounts.
#[test_only]
module memrelay::account_tests;

use memrelay::account;
use memrelay::keys;
use memrelay::scope;
use memrelay::world;
use sui::object;

const OWNER: address = @0xa1;
const NEW_OWNER: address = @0xca;
/// An Ed25519 public key from RFC 8032, section 7.1, test 1
const KEY: vector<u8> = x"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

#[test]
fun create_account_registers_and_shares() {
    let (mut registry, clock) = world::begin();
    assert!(!registry.has_account(OWNER));
    account::create_account(&mut registry, &clock, &mut world::sent_by(OWNER));
    assert!(registry.has_account(OWNER));
    assert!(!registry.has_account(NEW_OWNER));
    let created = sui::event::events_by_type<account::AccountCreated>();
    assert!(created.length() == 1);
    // The event starts with the account's id, and so does the registry's entry for its origin.
    let mut expected = std::bcs::to_bytes(&registry.account_of(OWNER));
    expected.append(std::bcs::to_bytes(&OWNER));
    expected.append(std::bcs::to_bytes(&0u64));
    expected.append(std::bcs::to_bytes(&0u64));
    world::check(&created[0], expected);
    world::end(registry, clock)
}

#[test]
fun one_transaction_creates_adds_and_shares() {
    let (mut registry, clock) = world::begin();
    let ctx = &mut world::sent_by(OWNER);
    let mut account = account::new_account(&mut registry, &clock, ctx);
    let address = keys::address_of(KEY);
    account::add_delegate_key(&mut account, KEY, address, std::string::utf8(b"phone"), &clock, ctx);
    assert!(account.is_delegate_address(address));
    assert!(registry.account_of(OWNER) == account.account_id());
    account::share_account(account);
    world::end(registry, clock)
}

#[test]
fun read_functions_return_the_state() {
    let (mut registry, clock) = world::begin();
    let ctx = &mut world::sent_by(OWNER);
    let mut account = account::new_account(&mut registry, &clock, ctx);
    assert!(account.origin() == OWNER);
    assert!(account.owner() == OWNER);
    assert!(account.is_active());
    assert!(account.key_epoch() == 0);
    assert!(account.version() == 1);
    assert!(account.recovery_pk() == b"");
    assert!(account.pending_owner() == std::option::none());
    assert!(account.delegate_count() == 0);
    assert!(!account.is_delegate(KEY));

    let address = keys::address_of(KEY);
    account::add_delegate_key(&mut account, KEY, address, std::string::utf8(b"phone"), &clock, ctx);
    assert!(account.delegate_count() == 1);
    assert!(account.is_delegate(KEY));
    assert!(account.delegate_scope(address) == scope::full());
    account::set_delegate_scope(&mut account, address, 3, false, vector[], 4, 5, &clock, ctx);
    let changed = account.delegate_scope(address);
    assert!(changed.perms() == 3);
    assert!(!changed.all_namespaces());
    assert!(changed.tags().is_empty());
    assert!(changed.min_epoch() == 4);
    assert!(changed.expires_at_ms() == 5);

    account::set_recovery_key(&mut account, KEY, ctx);
    account::deactivate_account(&mut account, ctx);
    account::offer_owner(&mut account, NEW_OWNER, ctx);
    assert!(account.recovery_pk() == KEY);
    assert!(!account.is_active());
    assert!(account.pending_owner() == std::option::some(NEW_OWNER));
    account::accept_owner(&mut account, &world::sent_by(NEW_OWNER));
    assert!(account.origin() == OWNER);
    assert!(account.owner() == NEW_OWNER);
    assert!(account.key_epoch() == 3);
    assert!(!account.is_delegate(KEY));
    assert!(!account.is_delegate_address(address));
    // The registry is keyed by the creator of the account, not by its owner.
    assert!(registry.account_of(OWNER) == account.account_id());
    assert!(!registry.has_account(NEW_OWNER));
    std::unit_test::destroy(account);
    world::end(registry, clock)
}

#[test]
fun two_owners_have_two_accounts() {
    let (mut registry, clock) = world::begin();
    let first = account::new_account(&mut registry, &clock, &mut world::sent_by(OWNER));
    let second = account::new_account(&mut registry, &clock, &mut world::sent_by(NEW_OWNER));
    assert!(object::id_to_address(&first.account_id()) != object::id_to_address(&second.account_id()));
    assert!(registry.account_of(NEW_OWNER) == second.account_id());
    std::unit_test::destroy(first);
    std::unit_test::destroy(second);
    world::end(registry, clock)
}
