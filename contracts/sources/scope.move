/// The rights of a delegate, with namespaces, first key epoch and expiry.
/// Only pure functions; the aborts are in `memrelay::account`, so that every code comes from one module.
module memrelay::scope;

const READ: u8 = 1;
const WRITE: u8 = 2;
const FORGET: u8 = 4;

const MAX_TAGS: u64 = 16;
const TAG_LENGTH: u64 = 16;

public struct Scope has copy, drop, store {
    /// READ 1, WRITE 2, FORGET 4. 0 keeps the delegate and removes its rights.
    perms: u8,
    all_namespaces: bool,
    /// Namespace tags of 16 bytes each. Empty means none; ignored when `all_namespaces` is set.
    tags: vector<vector<u8>>,
    /// First key epoch that the delegate may read.
    min_epoch: u64,
    /// 0 = never. The scope is expired from this exact millisecond on.
    expires_at_ms: u64,
}

public(package) fun new(
    perms: u8,
    all_namespaces: bool,
    tags: vector<vector<u8>>,
    min_epoch: u64,
    expires_at_ms: u64,
): Scope {
    Scope { perms, all_namespaces, tags, min_epoch, expires_at_ms }
}

/// All rights in all namespaces from the first epoch on, without an expiry.
public(package) fun full(): Scope {
    new(READ | WRITE | FORGET, true, vector[], 0, 0)
}

/// Whether the scope has no unknown rights, at most 16 tags of 16 bytes, no all-zero tag, and has not expired.
public(package) fun is_valid(self: &Scope, now_ms: u64): bool {
    if (self.perms > READ | WRITE | FORGET) return false;
    if (self.is_expired(now_ms)) return false;
    if (self.tags.length() > MAX_TAGS) return false;
    let mut i = 0;
    while (i < self.tags.length()) {
        let tag = &self.tags[i];
        if (tag.length() != TAG_LENGTH || is_zero(tag)) return false;
        i = i + 1;
    };
    true
}

/// Whether `self` lacks a right, namespace, key epoch or time that `old` has.
public(package) fun narrows(self: &Scope, old: &Scope): bool {
    (old.perms & self.perms) != old.perms
        || self.min_epoch > old.min_epoch
        || ends_before(self.expires_at_ms, old.expires_at_ms)
        || loses_namespace(self, old)
}

public fun is_expired(self: &Scope, now_ms: u64): bool {
    self.expires_at_ms != 0 && now_ms >= self.expires_at_ms
}

/// Whether the scope allows reading the namespace `tag` at key epoch `epoch`. Does not check the expiry.
public fun can_read(self: &Scope, tag: &vector<u8>, epoch: u64): bool {
    (self.perms & READ) != 0 && epoch >= self.min_epoch && (self.all_namespaces || self.tags.contains(tag))
}

public fun perms(self: &Scope): u8 { self.perms }

public fun all_namespaces(self: &Scope): bool { self.all_namespaces }

public fun tags(self: &Scope): &vector<vector<u8>> { &self.tags }

public fun min_epoch(self: &Scope): u64 { self.min_epoch }

public fun expires_at_ms(self: &Scope): u64 { self.expires_at_ms }

fun ends_before(expiry: u64, old_expiry: u64): bool {
    expiry != 0 && (old_expiry == 0 || expiry < old_expiry)
}

fun loses_namespace(self: &Scope, old: &Scope): bool {
    if (self.all_namespaces) return false;
    if (old.all_namespaces) return true;
    let mut i = 0;
    while (i < old.tags.length()) {
        if (!self.tags.contains(&old.tags[i])) return true;
        i = i + 1;
    };
    false
}

fun is_zero(bytes: &vector<u8>): bool {
    let mut i = 0;
    while (i < bytes.length()) {
        if (bytes[i] != 0) return false;
        i = i + 1;
    };
    true
}
