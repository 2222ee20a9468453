import { button } from '../ui/element.ts';
import { actions, paragraph, show } from '../ui/view.ts';
import { type OwnerWallet, WalletError } from './owner-wallet.ts';
import { forgetPairing, pairTab, tabToken } from './tab-pairing.ts';
import { showUnpaired } from './unpaired-view.ts';
import type { WalletState } from './wallet-api.ts';

/** Calls that a tab without (good) pairing is refused with. */
const unpaired: ReadonlySet<string> = new Set(['not_paired']);

/**
 * Goes on with the wallet's state once this tab may use the wallet; until then the page says what to do. A pairing code
 * of the page's own address is tried first.
 */
export async function withWallet(
  wallet: OwnerWallet,
  pairing: string | undefined,
  go: (state: WalletState) => void,
): Promise<void> {
  const again = (): void => void withWallet(wallet, undefined, go);
  let refused: string | undefined;
  try {
    // A tab that was paired before needs no code: the one in a reloaded address has been used
    if (pairing !== undefined)
      await pairTab(pairing).catch((error: WalletError) => (refused = error.message));
    if (tabToken() === undefined) return showUnpaired(again, refused);
    show({ title: 'Looking at your wallet…', tone: 'busy', parts: [] });
    go(await wallet.state());
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    if (unpaired.has(error.code)) {
      forgetPairing();
      return showUnpaired(again, refused);
    }
    show({
      title: 'Your wallet cannot be used now',
      tone: 'bad',
      parts: [paragraph(error.message), actions(button('Try again', 'main', again))],
    });
  }
}
