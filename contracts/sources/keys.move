/// Checks on public keys. Only pure functions; the aborts are in `memrelay::account`.
module memrelay::keys;

use sui::address;
use sui::ed25519;
use sui::hash;

const KEY_LENGTH: u64 = 32;

/// Sui's signature scheme flag of Ed25519, the first byte of the hash input of an address.
const ED25519_FLAG: u8 = 0x00;

const PROOF_PREFIX: vector<u8> = b"memrelay-delegate-v1";

/// Encodings, with the top bit cleared, of a point of small order on Ed25519 (as y) and on
/// X25519 (as u) alike: 0, 1, p-1, and the non-canonical p and p+1, where p = 2^255 - 19.
const SMALL_ORDER_BOTH: vector<vector<u8>> = vector[
    x"0000000000000000000000000000000000000000000000000000000000000000",
    x"0100000000000000000000000000000000000000000000000000000000000000",
    x"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    x"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    x"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/// The y coordinates of the points of order 8; adding p would not fit into 255 bits.
const ORDER_8_ED25519: vector<vector<u8>> = vector[
    x"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    x"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
];

/// The u coordinates of the points of order 8, on the curve and on its twist.
const ORDER_8_X25519: vector<vector<u8>> = vector[
    x"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    x"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
];

public(package) fun is_key_length(key: &vector<u8>): bool {
    key.length() == KEY_LENGTH
}

/// Whether a key has small order; anyone can create signatures for such a key. `key` has 32 bytes.
public(package) fun is_small_order_ed25519(key: vector<u8>): bool {
    let y = clear_top_bit(key);
    lists(SMALL_ORDER_BOTH, &y) || lists(ORDER_8_ED25519, &y)
}

/// Whether a key has small order; every key agreement with such a key is zero, so nothing can be sealed to it. `key` has
/// 32 bytes.
public(package) fun is_small_order_x25519(key: vector<u8>): bool {
    let u = clear_top_bit(key);
    lists(SMALL_ORDER_BOTH, &u) || lists(ORDER_8_X25519, &u)
}

/// The Sui address of an Ed25519 key: blake2b256(00 || key).
public(package) fun address_of(key: vector<u8>): address {
    let mut preimage = vector[ED25519_FLAG];
    preimage.append(key);
    address::from_bytes(hash::blake2b256(&preimage))
}

/// Whether `proof` is the key's signature over "memrelay-delegate-v1" || account id.
public(package) fun proves_consent(proof: &vector<u8>, key: &vector<u8>, account_id: address): bool {
    let mut message = PROOF_PREFIX;
    message.append(std::bcs::to_bytes(&account_id));
    ed25519::ed25519_verify(proof, key, &message)
}

fun clear_top_bit(mut key: vector<u8>): vector<u8> {
    let last = &mut key[KEY_LENGTH - 1];
    *last = *last & 0x7f;
    key
}

fun lists(encodings: vector<vector<u8>>, key: &vector<u8>): bool {
    encodings.contains(key)
}
