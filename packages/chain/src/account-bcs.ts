import { type BcsType, bcs } from '@mysten/bcs';
import { bcs as suiBcs } from '@mysten/sui/bcs';

/**
 * BCS of the structs in the Move package's modules `account` and `scope`. Fields have their Move names and are in Move's
 * order, which `contracts/README.md` specifies and `contracts/vectors/account.json` tests.
 * Addresses and object ids are `0x` and 64 lower-case hex digits; u64 is bigint.
 */

const address = suiBcs.Address;
const bytes = bcs.byteVector();
const u64 = bcs.u64().transform({
  input: (value: bigint) => value,
  output: (value) => BigInt(value),
});

/** `0x2::table::Table`: the entries are dynamic fields of `id`. */
const table = bcs.struct('Table', { id: address, size: u64 });

export const scopeBcs = bcs.struct('Scope', {
  /** Sum of `permissions` */
  perms: bcs.u8(),
  all_namespaces: bcs.bool(),
  /** 16 bytes each; empty means none; without meaning when `all_namespaces` is set */
  tags: bcs.vector(bytes),
  min_epoch: u64,
  /** 0 = never; expired from this exact millisecond on */
  expires_at_ms: u64,
});

export const delegateKeyBcs = bcs.struct('DelegateKey', {
  public_key: bytes,
  address,
  label: bcs.string(),
  /** ms */
  created_at: u64,
  /** The delegate has signed that it belongs to this account */
  proven: bcs.bool(),
});

export const accountBcs = bcs.struct('Account', {
  id: address,
  /** The creating address; key identities begin with it, so it never changes */
  origin: address,
  owner: address,
  active: bcs.bool(),
  key_epoch: u64,
  version: u64,
  delegate_keys: bcs.vector(delegateKeyBcs),
  /** `VecMap<address, Scope>`: one entry for each delegate, in the same order */
  scopes: bcs.vector(bcs.struct('Entry', { key: address, value: scopeBcs })),
  /** X25519 key, or empty */
  recovery_pk: bytes,
  pending_owner: bcs.option(address),
});

export const registryBcs = bcs.struct('Registry', {
  id: address,
  /** `Table<address, ID>`: account id by origin */
  accounts: table,
});

export type Scope = typeof scopeBcs.$inferType;
export type DelegateKey = typeof delegateKeyBcs.$inferType;
export type Account = typeof accountBcs.$inferType;
export type Registry = typeof registryBcs.$inferType;

/** `Scope.perms`. */
export const permissions = { read: 1, write: 2, forget: 4, all: 7 } as const;

/** The scope that `add_delegate_key` grants: all rights in all namespaces, from the first epoch on, without an expiry. */
export const fullScope: Readonly<Scope> = {
  perms: permissions.all,
  all_namespaces: true,
  tags: [],
  min_epoch: 0n,
  expires_at_ms: 0n,
};

/** Codecs of the module's events by struct name. `key_epoch` is the account's after the change. */
export const accountEventBcs = {
  AccountCreated: bcs.struct('AccountCreated', {
    account_id: address,
    owner: address,
    /** ms */
    created_at: u64,
    key_epoch: u64,
  }),
  DelegateKeyAdded: bcs.struct('DelegateKeyAdded', {
    account_id: address,
    public_key: bytes,
    address,
    label: bcs.string(),
    proven: bcs.bool(),
    scope: scopeBcs,
    key_epoch: u64,
  }),
  DelegateScopeChanged: bcs.struct('DelegateScopeChanged', {
    account_id: address,
    address,
    scope: scopeBcs,
    key_epoch: u64,
  }),
  DelegateKeyRemoved: bcs.struct('DelegateKeyRemoved', {
    account_id: address,
    public_key: bytes,
    address,
    key_epoch: u64,
  }),
  KeyEpochRotated: bcs.struct('KeyEpochRotated', { account_id: address, key_epoch: u64 }),
  AccountDeactivated: bcs.struct('AccountDeactivated', {
    account_id: address,
    owner: address,
    key_epoch: u64,
  }),
  AccountReactivated: bcs.struct('AccountReactivated', {
    account_id: address,
    owner: address,
    key_epoch: u64,
  }),
  OwnerOffered: bcs.struct('OwnerOffered', { account_id: address, new_owner: address, key_epoch: u64 }),
  OwnerOfferCancelled: bcs.struct('OwnerOfferCancelled', {
    account_id: address,
    new_owner: address,
    key_epoch: u64,
  }),
  OwnerChanged: bcs.struct('OwnerChanged', {
    account_id: address,
    old_owner: address,
    new_owner: address,
    key_epoch: u64,
  }),
  RecoveryKeyChanged: bcs.struct('RecoveryKeyChanged', {
    account_id: address,
    recovery_pk: bytes,
    key_epoch: u64,
  }),
} as const;

export type AccountEventName = keyof typeof accountEventBcs;

/** An event of the account module: its `name` and its fields. */
export type AccountEvent = {
  [Name in AccountEventName]: { name: Name } & (typeof accountEventBcs)[Name]['$inferType'];
}[AccountEventName];

/** Returns the event, or undefined if the module has none of that name. Throws on bytes that do not match its layout. */
export function parseAccountEvent(name: string, contents: Uint8Array): AccountEvent | undefined {
  if (!Object.hasOwn(accountEventBcs, name)) return undefined;
  const codec = accountEventBcs[name as AccountEventName] as BcsType<object>;
  return { name, ...codec.parse(contents) } as AccountEvent;
}
