import { fromHex } from '@memrelay/protocol/bytes';
import { type ScopeChoice, scopeOf } from '../scope/scope-choice.ts';
import { type NotConnected, revokeKey } from '../sign-in/connect-tool.ts';
import { cleanLabel } from '../ui/harmless-text.ts';
import { type OwnerWallet, WalletError } from '../wallet/owner-wallet.ts';
import type { WalletState } from '../wallet/wallet-api.ts';
import { type ConsentApi, ConsentError } from './consent-api.ts';

/** What the contract takes as a label. */
const maxLabelBytes = 64;

export interface Granting {
  wallet: OwnerWallet;
  state: WalletState;
  api: ConsentApi;
  /** What the client calls itself */
  name: string;
  choice: ScopeChoice;
  onStep: (step: 'register' | 'hand-over' | 'revoke') => void;
}

/** How it ended. `publicKey` (64 hex digits) names a key that is (perhaps) still registered, though nobody uses it. */
export type Granted = { kind: 'granted'; redirectTo: string } | NotConnected;

/** Has the wallet register the key that the relayer made for this grant, or revokes it when the rest fails. */
export async function grantAccess(granting: Granting): Promise<Granted> {
  const { wallet, state, api, name, choice, onStep } = granting;
  // A wallet that has no account yet becomes the origin of the one that is made now
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

/** The client's name as it stands in the list of keys, cut to what the contract takes. */
function labelOf(name: string): string {
  let label = '';
  for (const character of cleanLabel(name)) {
    if (new TextEncoder().encode(label + character).length > maxLabelBytes) break;
    label += character;
  }
  return label;
}
