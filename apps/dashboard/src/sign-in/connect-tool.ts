import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { sealHandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import type { SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { type ScopeChoice, scopeOf } from '../scope/scope-choice.ts';
import { cleanLabel } from '../ui/harmless-text.ts';
import { type OwnerWallet, WalletError } from '../wallet/owner-wallet.ts';
import type { ScopeState, WalletState } from '../wallet/wallet-api.ts';
import { giveToTool } from './tool-callback.ts';

export interface Connection {
  wallet: OwnerWallet;
  state: WalletState;
  request: SignInRequest;
  choice: ScopeChoice;
  /** Whether the tool listens on this machine; if not, the user pastes a code */
  direct: boolean;
  onStep: (step: 'register' | 'hand-over' | 'revoke') => void;
}

/** The result. `publicKey` (64 hex digits) is the registered key. */
export type Outcome =
  | { kind: 'connected'; accountId: string; scope: ScopeState }
  | { kind: 'code'; accountId: string; scope: ScopeState; code: string; publicKey: string }
  | NotConnected;

export type NotConnected =
  /** Nothing is left on chain */
  | { kind: 'failed'; reason: string }
  /** The key may still be registered, but no one has its private key */
  | { kind: 'left-behind'; reason: string; publicKey: string };

/** Errors that mean that the key is not on chain. */
const notOnChain: ReadonlySet<string> = new Set(['delegate_not_found', 'no_account']);

/** Creates a delegate key, registers it, and passes it to the tool; revokes it if that fails. */
export async function connectTool(connection: Connection): Promise<Outcome> {
  const { wallet, state, request, choice, direct, onStep } = connection;
  const p = portablePrimitives;
  const privateKey = p.randomBytes(32);
  const publicKey = toHex(p.ed25519PublicKey(privateKey));
  // Without an account yet, the wallet's address becomes the origin of the new one
  const scope = scopeOf(choice, state.account?.origin ?? state.address);
  try {
    onStep('register');
    const accountId = state.account?.id ?? (await wallet.createAccount());
    await wallet.addDelegate(accountId, {
      publicKey,
      label: cleanLabel(request.label),
      scope,
      prove: async (account) => p.ed25519Sign(privateKey, delegateProofMessage(account)),
    });
    onStep('hand-over');
    const code = sealHandOver(p, request, {
      privateKey,
      accountId,
      walletAddress: state.address,
      packageId: state.packageId,
      scope: {
        perms: scope.perms,
        all_namespaces: scope.allNamespaces,
        tags: scope.tags.map((tag) => fromHex(tag)),
        min_epoch: 0n,
        expires_at_ms: BigInt(scope.expiresAtMs),
      },
    });
    if (!direct) return { kind: 'code', accountId, scope, code, publicKey };
    const reason = await giveToTool(request, code);
    if (reason === undefined) return { kind: 'connected', accountId, scope };
    onStep('revoke');
    return await revokeKey(wallet, publicKey, reason);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    if (!error.unsure) return { kind: 'failed', reason: error.message };
    onStep('revoke');
    return await revokeKey(wallet, publicKey, error.message);
  } finally {
    privateKey.fill(0);
  }
}

/** Revokes a key that was not delivered. */
export async function revokeKey(
  wallet: OwnerWallet,
  publicKey: string,
  reason: string,
): Promise<NotConnected> {
  try {
    await wallet.removeDelegate(publicKey);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    if (!notOnChain.has(error.code)) return { kind: 'left-behind', reason, publicKey };
  }
  return { kind: 'failed', reason };
}
