/// A memrelay account: its owner, its delegate keys with their scopes, and the key epoch under which its memories are
/// sealed. Seal key servers run `seal_approve` and `seal_approve_at` before they return a decryption key.
///
/// Layout, abort codes and the rules of every function: see README.md of this package.
module memrelay::account;

use memrelay::keys;
use memrelay::scope::{Self, Scope};
use std::string::String;
use sui::clock::Clock;
use sui::event;
use sui::table::{Self, Table};
use sui::vec_map::{Self, VecMap};

const EDelegateExists: u64 = 0;
const EDelegateNotFound: u64 = 1;
const ETooManyDelegates: u64 = 2;
const EAccountExists: u64 = 3;
const ENotOwner: u64 = 4;
const EBadKeyLength: u64 = 5;
const EDeactivated: u64 = 6;
const EWrongVersion: u64 = 7;
const ELabelTooLong: u64 = 10;
const EAlreadyActive: u64 = 11;
const ESmallOrderKey: u64 = 12;
const EAddressMismatch: u64 = 13;
const EDelegateIsOwner: u64 = 14;
const EBadProof: u64 = 15;
const EBadScope: u64 = 16;
const ENothingExpired: u64 = 17;
const ENotOffered: u64 = 18;
const EAlreadyInactive: u64 = 19;
const EBadRecoveryKey: u64 = 20;
/// Every rejection of `seal_approve` and `seal_approve_at`, so that it reveals nothing to a stranger.
const ENoAccess: u64 = 100;

const VERSION: u64 = 1;
const MAX_DELEGATES: u64 = 20;
const MAX_LABEL_BYTES: u64 = 64;

/// A Seal identity: origin address, 32 bytes; namespace tag, 16 bytes; key epoch, u64 little-endian.
const IDENTITY_LENGTH: u64 = 56;
const TAG_START: u64 = 32;
const EPOCH_START: u64 = 48;

/// `seal_approve` has no clock, so it treats every expiry as past.
const END_OF_TIME: u64 = 0xffff_ffff_ffff_ffff;

/// Every account that was ever created, by the address that created it. Nothing is removed.
public struct Registry has key {
    id: UID,
    accounts: Table<address, ID>,
}

public struct Account has key {
    id: UID,
    /// The address that created the account. Key identities begin with it, so it does not change with the owner.
    origin: address,
    owner: address,
    active: bool,
    /// Only increases. Keys fetched earlier cannot open memories sealed under a later epoch.
    key_epoch: u64,
    version: u64,
    delegate_keys: vector<DelegateKey>,
    /// Exactly one entry for each element of `delegate_keys`, in the same order.
    scopes: VecMap<address, Scope>,
    /// X25519 key for which memories are wrapped in addition to Seal, or empty.
    recovery_pk: vector<u8>,
    pending_owner: Option<address>,
}

public struct DelegateKey has copy, drop, store {
    public_key: vector<u8>,
    address: address,
    label: String,
    /// ms
    created_at: u64,
    /// Whether the delegate itself signed that it belongs to this account.
    proven: bool,
}

public struct AccountCreated has copy, drop {
    account_id: ID,
    owner: address,
    /// ms
    created_at: u64,
    key_epoch: u64,
}

public struct DelegateKeyAdded has copy, drop {
    account_id: ID,
    public_key: vector<u8>,
    address: address,
    label: String,
    proven: bool,
    scope: Scope,
    key_epoch: u64,
}

public struct DelegateScopeChanged has copy, drop {
    account_id: ID,
    address: address,
    scope: Scope,
    key_epoch: u64,
}

public struct DelegateKeyRemoved has copy, drop {
    account_id: ID,
    public_key: vector<u8>,
    address: address,
    key_epoch: u64,
}

public struct KeyEpochRotated has copy, drop {
    account_id: ID,
    key_epoch: u64,
}

public struct AccountDeactivated has copy, drop {
    account_id: ID,
    owner: address,
    key_epoch: u64,
}

public struct AccountReactivated has copy, drop {
    account_id: ID,
    owner: address,
    key_epoch: u64,
}

public struct OwnerOffered has copy, drop {
    account_id: ID,
    new_owner: address,
    key_epoch: u64,
}

public struct OwnerOfferCancelled has copy, drop {
    account_id: ID,
    new_owner: address,
    key_epoch: u64,
}

public struct OwnerChanged has copy, drop {
    account_id: ID,
    old_owner: address,
    new_owner: address,
    key_epoch: u64,
}

public struct RecoveryKeyChanged has copy, drop {
    account_id: ID,
    recovery_pk: vector<u8>,
    key_epoch: u64,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(new_registry(ctx))
}

fun new_registry(ctx: &mut TxContext): Registry {
    Registry { id: object::new(ctx), accounts: table::new(ctx) }
}

// === The account itself ===

public entry fun create_account(registry: &mut Registry, clock: &Clock, ctx: &mut TxContext) {
    share_account(new_account(registry, clock, ctx))
}

/// For transactions that create an account, add delegates and then call `share_account`.
public fun new_account(registry: &mut Registry, clock: &Clock, ctx: &mut TxContext): Account {
    let origin = ctx.sender();
    assert!(!registry.accounts.contains(origin), EAccountExists);
    let account = Account {
        id: object::new(ctx),
        origin,
        owner: origin,
        active: true,
        key_epoch: 0,
        version: VERSION,
        delegate_keys: vector[],
        scopes: vec_map::empty(),
        recovery_pk: vector[],
        pending_owner: option::none(),
    };
    registry.accounts.add(origin, account.account_id());
    event::emit(AccountCreated {
        account_id: account.account_id(),
        owner: origin,
        created_at: clock.timestamp_ms(),
        key_epoch: 0,
    });
    account
}

public fun share_account(account: Account) {
    transfer::share_object(account)
}

public entry fun deactivate_account(account: &mut Account, ctx: &TxContext) {
    account.assert_version();
    account.assert_owner(ctx);
    assert!(account.active, EAlreadyInactive);
    account.active = false;
    let key_epoch = account.bump();
    event::emit(AccountDeactivated { account_id: account.account_id(), owner: account.owner, key_epoch });
}

public entry fun reactivate_account(account: &mut Account, ctx: &TxContext) {
    account.assert_version();
    account.assert_owner(ctx);
    assert!(!account.active, EAlreadyActive);
    account.active = true;
    event::emit(AccountReactivated {
        account_id: account.account_id(),
        owner: account.owner,
        key_epoch: account.key_epoch,
    });
}

public entry fun rotate_key_epoch(account: &mut Account, ctx: &TxContext) {
    account.assert_version();
    account.assert_owner(ctx);
    let key_epoch = account.bump();
    event::emit(KeyEpochRotated { account_id: account.account_id(), key_epoch });
}

/// Sets the recovery key; an empty value clears it. Replacing or clearing a key bumps the key epoch, because the holder
/// of the old key can open everything of the current one.
public entry fun set_recovery_key(account: &mut Account, recovery_pk: vector<u8>, ctx: &TxContext) {
    account.assert_version();
    account.assert_owner(ctx);
    account.assert_active();
    if (!recovery_pk.is_empty()) {
        assert!(keys::is_key_length(&recovery_pk), EBadRecoveryKey);
        assert!(!keys::is_small_order_x25519(recovery_pk), EBadRecoveryKey);
    };
    if (!account.recovery_pk.is_empty() && account.recovery_pk != recovery_pk) {
        account.bump();
    };
    account.recovery_pk = recovery_pk;
    event::emit(RecoveryKeyChanged {
        account_id: account.account_id(),
        recovery_pk,
        key_epoch: account.key_epoch,
    });
}

// === Owner ===

/// A later offer replaces an earlier one. Nothing changes until `new_owner` accepts.
public entry fun offer_owner(account: &mut Account, new_owner: address, ctx: &TxContext) {
    account.assert_version();
    account.assert_owner(ctx);
    account.pending_owner = option::some(new_owner);
    event::emit(OwnerOffered { account_id: account.account_id(), new_owner, key_epoch: account.key_epoch });
}

public entry fun cancel_offer(account: &mut Account, ctx: &TxContext) {
    account.assert_version();
    account.assert_owner(ctx);
    assert!(account.pending_owner.is_some(), ENotOffered);
    let new_owner = account.pending_owner.extract();
    event::emit(OwnerOfferCancelled {
        account_id: account.account_id(),
        new_owner,
        key_epoch: account.key_epoch,
    });
}

/// The new owner starts without the old one's delegates and recovery key.
public entry fun accept_owner(account: &mut Account, ctx: &TxContext) {
    account.assert_version();
    let new_owner = ctx.sender();
    assert!(account.pending_owner.contains(&new_owner), ENotOffered);
    let old_owner = account.owner;
    let removed = account.delegate_keys;
    account.owner = new_owner;
    account.pending_owner = option::none();
    account.delegate_keys = vector[];
    account.scopes = vec_map::empty();
    let key_epoch = account.bump();
    account.emit_removed(&removed);
    if (!account.recovery_pk.is_empty()) {
        account.recovery_pk = vector[];
        event::emit(RecoveryKeyChanged { account_id: account.account_id(), recovery_pk: vector[], key_epoch });
    };
    event::emit(OwnerChanged { account_id: account.account_id(), old_owner, new_owner, key_epoch });
}

// === Delegates ===

/// Adds a delegate with full rights, without an expiry and without the delegate's consent.
public entry fun add_delegate_key(
    account: &mut Account,
    public_key: vector<u8>,
    address: address,
    label: String,
    clock: &Clock,
    ctx: &TxContext,
) {
    account.assert_may_add(&public_key, address, &label, ctx);
    account.insert_delegate(public_key, address, label, scope::full(), false, clock);
}

/// `proof` is the delegate's Ed25519 signature over "memrelay-delegate-v1" || account id, so that no
/// one can add another person's key to their account.
public entry fun add_delegate_key_scoped(
    account: &mut Account,
    public_key: vector<u8>,
    address: address,
    label: String,
    perms: u8,
    all_namespaces: bool,
    tags: vector<vector<u8>>,
    min_epoch: u64,
    expires_at_ms: u64,
    proof: vector<u8>,
    clock: &Clock,
    ctx: &TxContext,
) {
    account.assert_may_add(&public_key, address, &label, ctx);
    let scope = scope::new(perms, all_namespaces, tags, min_epoch, expires_at_ms);
    assert!(scope.is_valid(clock.timestamp_ms()), EBadScope);
    assert!(keys::proves_consent(&proof, &public_key, account.id.uid_to_address()), EBadProof);
    account.insert_delegate(public_key, address, label, scope, true, clock);
}

/// Replaces the whole scope. Bumps the key epoch if the new scope lacks anything that the old one had.
public entry fun set_delegate_scope(
    account: &mut Account,
    address: address,
    perms: u8,
    all_namespaces: bool,
    tags: vector<vector<u8>>,
    min_epoch: u64,
    expires_at_ms: u64,
    clock: &Clock,
    ctx: &TxContext,
) {
    account.assert_version();
    account.assert_owner(ctx);
    account.assert_active();
    assert!(account.scopes.contains(&address), EDelegateNotFound);
    let scope = scope::new(perms, all_namespaces, tags, min_epoch, expires_at_ms);
    assert!(scope.is_valid(clock.timestamp_ms()), EBadScope);
    if (scope.narrows(account.scopes.get(&address))) {
        account.bump();
    };
    *account.scopes.get_mut(&address) = scope;
    event::emit(DelegateScopeChanged {
        account_id: account.account_id(),
        address,
        scope,
        key_epoch: account.key_epoch,
    });
}

/// Called by the owner or by the delegate itself, even while the account is inactive.
public entry fun remove_delegate_key(account: &mut Account, public_key: vector<u8>, ctx: &TxContext) {
    account.assert_version();
    let i = account.find_delegate(&public_key);
    let found = i < account.delegate_keys.length();
    let by_itself = found && account.delegate_keys[i].address == ctx.sender();
    assert!(by_itself || account.owner == ctx.sender(), ENotOwner);
    assert!(found, EDelegateNotFound);
    let removed = account.take_delegate(i);
    account.bump();
    account.emit_removed(&vector[removed]);
}

/// Removes every expired delegate. Anyone may call it, because it only enforces expiries that the owner set.
public entry fun prune_expired(account: &mut Account, clock: &Clock) {
    account.assert_version();
    let now_ms = clock.timestamp_ms();
    let mut removed = vector[];
    let mut i = 0;
    while (i < account.delegate_keys.length()) {
        let address = account.delegate_keys[i].address;
        if (account.scopes.get(&address).is_expired(now_ms)) {
            removed.push_back(account.take_delegate(i));
        } else {
            i = i + 1;
        };
    };
    assert!(!removed.is_empty(), ENothingExpired);
    account.bump();
    account.emit_removed(&removed);
}

// === Functions that key servers run ===

/// Approves the owner and every delegate without an expiry.
entry fun seal_approve(id: vector<u8>, account: &Account, ctx: &TxContext) {
    assert!(account.may_read(&id, ctx.sender(), END_OF_TIME), ENoAccess)
}

/// Approves the owner and every delegate whose scope has not expired.
entry fun seal_approve_at(id: vector<u8>, account: &Account, clock: &Clock, ctx: &TxContext) {
    assert!(account.may_read(&id, ctx.sender(), clock.timestamp_ms()), ENoAccess)
}

fun may_read(account: &Account, id: &vector<u8>, reader: address, now_ms: u64): bool {
    if (account.version != VERSION) return false;
    if (!account.active) return false;
    if (id.length() != IDENTITY_LENGTH) return false;
    if (slice(id, 0, TAG_START) != std::bcs::to_bytes(&account.origin)) return false;
    let epoch = u64_at(id, EPOCH_START);
    // Applies to the owner too, so that a stolen session cannot fetch keys of future epochs in advance.
    if (epoch > account.key_epoch) return false;
    if (reader == account.owner) return true;
    if (!account.scopes.contains(&reader)) return false;
    let scope = account.scopes.get(&reader);
    !scope.is_expired(now_ms) && scope.can_read(&slice(id, TAG_START, EPOCH_START), epoch)
}

fun slice(bytes: &vector<u8>, start: u64, end: u64): vector<u8> {
    let mut out = vector[];
    let mut i = start;
    while (i < end) {
        out.push_back(bytes[i]);
        i = i + 1;
    };
    out
}

/// Little-endian.
fun u64_at(bytes: &vector<u8>, start: u64): u64 {
    let mut value = 0;
    let mut i = 8;
    while (i > 0) {
        i = i - 1;
        value = (value << 8) | (bytes[start + i] as u64);
    };
    value
}

// === Reading ===

public fun has_account(registry: &Registry, origin: address): bool { registry.accounts.contains(origin) }

/// Aborts when `origin` has created no account.
public fun account_of(registry: &Registry, origin: address): ID { registry.accounts[origin] }

public fun account_id(account: &Account): ID { account.id.uid_to_inner() }

public fun origin(account: &Account): address { account.origin }

public fun owner(account: &Account): address { account.owner }

public fun is_active(account: &Account): bool { account.active }

public fun key_epoch(account: &Account): u64 { account.key_epoch }

public fun version(account: &Account): u64 { account.version }

public fun recovery_pk(account: &Account): vector<u8> { account.recovery_pk }

public fun pending_owner(account: &Account): Option<address> { account.pending_owner }

public fun delegate_count(account: &Account): u64 { account.delegate_keys.length() }

public fun is_delegate(account: &Account, public_key: vector<u8>): bool {
    account.find_delegate(&public_key) < account.delegate_keys.length()
}

public fun is_delegate_address(account: &Account, address: address): bool {
    account.scopes.contains(&address)
}

/// Aborts when `address` is not a delegate.
public fun delegate_scope(account: &Account, address: address): Scope { *account.scopes.get(&address) }

// === Internal functions ===

fun assert_version(account: &Account) { assert!(account.version == VERSION, EWrongVersion) }

fun assert_owner(account: &Account, ctx: &TxContext) { assert!(account.owner == ctx.sender(), ENotOwner) }

fun assert_active(account: &Account) { assert!(account.active, EDeactivated) }

fun assert_may_add(
    account: &Account,
    public_key: &vector<u8>,
    address: address,
    label: &String,
    ctx: &TxContext,
) {
    account.assert_version();
    account.assert_owner(ctx);
    account.assert_active();
    assert!(keys::is_key_length(public_key), EBadKeyLength);
    assert!(!keys::is_small_order_ed25519(*public_key), ESmallOrderKey);
    assert!(address == keys::address_of(*public_key), EAddressMismatch);
    assert!(address != account.owner, EDelegateIsOwner);
    assert!(!account.scopes.contains(&address), EDelegateExists);
    assert!(account.delegate_keys.length() < MAX_DELEGATES, ETooManyDelegates);
    assert!(label.as_bytes().length() <= MAX_LABEL_BYTES, ELabelTooLong);
}

fun insert_delegate(
    account: &mut Account,
    public_key: vector<u8>,
    address: address,
    label: String,
    scope: Scope,
    proven: bool,
    clock: &Clock,
) {
    let created_at = clock.timestamp_ms();
    account.delegate_keys.push_back(DelegateKey { public_key, address, label, created_at, proven });
    account.scopes.insert(address, scope);
    event::emit(DelegateKeyAdded {
        account_id: account.account_id(),
        public_key,
        address,
        label,
        proven,
        scope,
        key_epoch: account.key_epoch,
    });
}

/// Removes the delegate with its scope, so that a key that is added again does not get its old scope.
fun take_delegate(account: &mut Account, i: u64): DelegateKey {
    let removed = account.delegate_keys.remove(i);
    account.scopes.remove(&removed.address);
    removed
}

fun emit_removed(account: &Account, removed: &vector<DelegateKey>) {
    let mut i = 0;
    while (i < removed.length()) {
        event::emit(DelegateKeyRemoved {
            account_id: account.account_id(),
            public_key: removed[i].public_key,
            address: removed[i].address,
            key_epoch: account.key_epoch,
        });
        i = i + 1;
    };
}

/// Returns the number of delegates if the key is not among them.
fun find_delegate(account: &Account, public_key: &vector<u8>): u64 {
    let mut i = 0;
    while (i < account.delegate_keys.length() && &account.delegate_keys[i].public_key != public_key) {
        i = i + 1;
    };
    i
}

/// The only place where the key epoch changes.
fun bump(account: &mut Account): u64 {
    account.key_epoch = account.key_epoch + 1;
    account.key_epoch
}

// === Tests ===

#[test_only]
public fun new_registry_for_testing(ctx: &mut TxContext): Registry { new_registry(ctx) }

/// Simulates an account that an upgraded package has not migrated yet.
#[test_only]
public fun set_version_for_testing(account: &mut Account, version: u64) { account.version = version }

#[test_only]
public fun approve_for_testing(id: vector<u8>, account: &Account, ctx: &TxContext) {
    seal_approve(id, account, ctx)
}

#[test_only]
public fun approve_at_for_testing(id: vector<u8>, account: &Account, clock: &Clock, ctx: &TxContext) {
    seal_approve_at(id, account, clock, ctx)
}
