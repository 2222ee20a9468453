import { loadLinkTexts } from '../texts/link-texts.ts';
import { button } from '../ui/element.ts';
import { actions, paragraph, show } from '../ui/view.ts';
import { type OwnerWallet, WalletError } from './owner-wallet.ts';
import { forgetPairing, pairTab, resumePairing, tabToken } from './tab-pairing.ts';
import { showUnpaired } from './unpaired-view.ts';
import type { WalletState } from './wallet-api.ts';

/** Error codes for a tab without valid pairing. */
const unpaired: ReadonlySet<string> = new Set(['not_paired']);

/**
 * Calls `go` with the wallet's state once this tab may use the wallet; until then the page explains what to do. A pairing
 * code in the page's address is tried first.
 */
export async function withWallet(
  wallet: OwnerWallet,
  pairing: string | undefined,
  go: (state: WalletState) => void,
): Promise<void> {
  const retry = (): void => void withWallet(wallet, undefined, go);
  let refused: WalletError | undefined;
  await loadLinkTexts();
  try {
    // A tab that is already paired needs no code; the one in a reloaded address is used up
    if (pairing !== undefined) await pairTab(pairing).catch((error: WalletError) => (refused = error));
    if (tabToken() === undefined && !(await resumePairing())) return showUnpaired(retry, refused);
    show({ title: 'Reading your wallet…', tone: 'busy', parts: [] });
    go(await wallet.state());
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    if (unpaired.has(error.code)) {
      forgetPairing();
      return showUnpaired(retry, refused);
    }
    show({
      title: 'Your wallet is not available',
      tone: 'bad',
      parts: [paragraph(error.message), actions(button('Try again', 'main', retry))],
    });
  }
}
