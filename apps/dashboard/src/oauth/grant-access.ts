import { fromHex } from '@memrelay/protocol/bytes';
import { type ScopeChoice, scopeOf } from '../scope/scope-choice.ts';
import { type NotConnected, revokeKey } from '../sign-in/connect-tool.ts';
import { cleanLabel } from '../ui/harmless-text.ts';
import { type OwnerWallet, WalletError } from '../wallet/owner-wallet.ts';
import type { WalletState } from '../wallet/wallet-api.ts';
import { type ConsentApi, ConsentError } from './consent-api.ts';

/** Limit of the contract. */
const maxLabelBytes = 64;

export interface Granting {
  wallet: OwnerWallet;
  state: WalletState;
  api: ConsentApi;
  /** Name that the client gives itself */
  name: string;
  choice: ScopeChoice;
  onStep: (step: 'register' | 'hand-over' | 'revoke') => void;
}

/** The result. `publicKey` (64 hex digits) names a key that may still be registered, although no one uses it. */
export type Granted = { kind: 'granted'; redirectTo: string } | NotConnected;

/** Registers the key that the relayer created for this grant, and revokes it if a later step fails. */
export async function grantAccess(granting: Granting): Promise<Granted> {
  const { wallet, state, api, name, choice, onStep } = granting;
  // Without an account yet, the wallet's address becomes the origin of the new one
  const scope = scopeOf(choice, state.account?.origin ?? state.address);
  let publicKey: string | undefined;
  try {
    onStep('register');
    const accountId = state.account?.id ?? (await wallet.createAccount());
    const key = await api.makeKey(accountId, scope);
    publicKey = key.public_key;
    await wallet.addDelegate(accountId, {
      publicKey,
      label: labelOf(name),
      scope,
      prove: async () => fromHex(key.proof ?? ''),
    });
    onStep('hand-over');
    const { redirect_to } = await api.finish(key.ticket, accountId);
    return { kind: 'granted', redirectTo: redirect_to };
  } catch (error) {
    if (!(error instanceof WalletError || error instanceof ConsentError)) throw error;
    if (publicKey === undefined || (error instanceof WalletError && !error.unsure))
      return { kind: 'failed', reason: error.message };
    onStep('revoke');
    return await revokeKey(wallet, publicKey, error.message);
  }
}

/** The client's name for the list of keys, cut to the limit of the contract. */
function labelOf(name: string): string {
  let label = '';
  for (const character of cleanLabel(name)) {
    if (new TextEncoder().encode(label + character).length > maxLabelBytes) break;
    label += character;
  }
  return label;
}
