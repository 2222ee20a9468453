import {
  accountBcs,
  accountEventBcs,
  delegateKeyBcs,
  type Registry,
  registryBcs,
  type Scope,
} from '@memrelay/chain/account-bcs';
import { bcs } from '@mysten/sui/bcs';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { MoveObject, NativeContext, NativeFunction, NativeModule, Param } from '../execution/native.ts';
import { sealApprove, sealApproveAt } from './account-approval.ts';
import {
  addDelegateKey,
  addDelegateKeyScoped,
  pruneExpired,
  removeDelegateKey,
  setDelegateScope,
} from './account-delegates.ts';
import {
  acceptOwner,
  cancelOffer,
  deactivateAccount,
  newAccount,
  offerOwner,
  reactivateAccount,
  rotateKeyEpoch,
  setRecoveryKey,
} from './account-ownership.ts';
import type { AccountObject } from './account-rules.ts';

const clock: Param = { kind: 'ref', type: '0x2::clock::Clock', mutable: false };
const address = pure(bcs.Address);
const bytes = pure(bcs.byteVector());
const text = pure(bcs.string());
/** perms, all_namespaces, tags, min_epoch, expires_at_ms */
const scopeParams = [
  pure(bcs.u8()),
  pure(bcs.bool()),
  pure(bcs.vector(bcs.byteVector())),
  pure(bcs.u64()),
  pure(bcs.u64()),
];

/**
 * The Move module `account`, implemented natively function by function. `contracts/vectors/account.json` checks
 * that both have the same results. Uses the transaction's time, so the clock argument only has to exist.
 */
export function createAccountModule(packageId: string): NativeModule {
  const accountType = normalizeStructTag(`${packageId}::account::Account`);
  const registry: Param = { kind: 'ref', type: `${packageId}::account::Registry`, mutable: true };
  const account: Param = { kind: 'ref', type: accountType, mutable: true };
  const readAccount: Param = { ...account, mutable: false };
  const entry = publicEntry(account);

  return {
    packageId,
    name: 'account',
    structs: { Registry: registryBcs, Account: accountBcs, DelegateKey: delegateKeyBcs, ...accountEventBcs },
    keyOnly: ['Registry', 'Account'],
    functions: {
      create_account: {
        params: [registry, clock],
        visibility: 'public entry',
        run(context, object: MoveObject<Registry>) {
          context.share(newAccount(context, object, accountType));
          return undefined;
        },
      },
      new_account: {
        params: [registry, clock],
        returns: [{ kind: 'own', type: accountType }],
        visibility: 'public',
        run: (context, object: MoveObject<Registry>) => [newAccount(context, object, accountType)],
      },
      share_account: {
        params: [{ kind: 'own', type: accountType }],
        visibility: 'public',
        run(context, object: AccountObject) {
          context.share(object);
          return undefined;
        },
      },
      deactivate_account: entry([], deactivateAccount),
      reactivate_account: entry([], reactivateAccount),
      rotate_key_epoch: entry([], rotateKeyEpoch),
      set_recovery_key: entry([bytes], setRecoveryKey),
      offer_owner: entry([address], offerOwner),
      cancel_offer: entry([], cancelOffer),
      accept_owner: entry([], acceptOwner),
      add_delegate_key: entry(
        [bytes, address, text, clock],
        (context, object, publicKey: Uint8Array, delegate: string, label: string) =>
          addDelegateKey(context, object, { publicKey, address: delegate, label }),
      ),
      add_delegate_key_scoped: entry(
        [bytes, address, text, ...scopeParams, bytes, clock],
        (
          context,
          object,
          publicKey: Uint8Array,
          delegate: string,
          label: string,
          perms: number,
          all: boolean,
          tags: Uint8Array[],
          minEpoch: string,
          expiresAt: string,
          proof: Uint8Array,
        ) => {
          const scope = scopeFrom(perms, all, tags, minEpoch, expiresAt);
          addDelegateKeyScoped(context, object, { publicKey, address: delegate, label }, scope, proof);
        },
      ),
      set_delegate_scope: entry(
        [address, ...scopeParams, clock],
        (
          context,
          object,
          delegate: string,
          perms: number,
          all: boolean,
          tags: Uint8Array[],
          minEpoch: string,
          expiresAt: string,
        ) => setDelegateScope(context, object, delegate, scopeFrom(perms, all, tags, minEpoch, expiresAt)),
      ),
      remove_delegate_key: entry([bytes], removeDelegateKey),
      prune_expired: entry([clock], pruneExpired),
      seal_approve: {
        params: [bytes, readAccount],
        visibility: 'entry',
        run(context, id: Uint8Array, object: AccountObject) {
          sealApprove(context, id, object);
          return undefined;
        },
      },
      seal_approve_at: {
        params: [bytes, readAccount, clock],
        visibility: 'entry',
        run(context, id: Uint8Array, object: AccountObject) {
          sealApproveAt(context, id, object);
          return undefined;
        },
      },
    },
  };
}

/** The registry that the package's `init` shares when it is published. Here genesis creates it. */
export function createRegistry(packageId: string, newObjectId: () => string): MoveObject<Registry> {
  const id = newObjectId();
  return {
    id,
    type: normalizeStructTag(`${packageId}::account::Registry`),
    value: { id, accounts: { id: newObjectId(), size: 0n } },
  };
}

/** A `public entry` function on `&mut Account` that returns nothing. */
function publicEntry(account: Param) {
  return <Args extends unknown[]>(
    params: readonly Param[],
    act: (context: NativeContext, object: AccountObject, ...args: Args) => void,
  ): NativeFunction => ({
    params: [account, ...params],
    visibility: 'public entry',
    run(context, object: AccountObject, ...args) {
      act(context, object, ...(args as Args));
      return undefined;
    },
  });
}

function pure(codec: Extract<Param, { kind: 'pure' }>['bcs']): Param {
  return { kind: 'pure', bcs: codec };
}

function scopeFrom(
  perms: number,
  allNamespaces: boolean,
  tags: Uint8Array[],
  minEpoch: string,
  expiresAt: string,
): Scope {
  return {
    perms,
    all_namespaces: allNamespaces,
    tags,
    min_epoch: BigInt(minEpoch),
    expires_at_ms: BigInt(expiresAt),
  };
}
