import { askWallet } from './ask-wallet.ts';
import { walletPaths } from './wallet-api.ts';

/** Only for this tab: removed when it is closed, and invalid after a restart of the system. */
const storageKey = 'memrelay.wallet-token';

export function tabToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

export function forgetPairing(): void {
  sessionStorage.removeItem(storageKey);
}

/** Pairs this tab with the local wallet; a code works once. Rejects with `WalletError`. */
export async function pairTab(code: string): Promise<void> {
  const { token } = await askWallet<{ token: string }>(walletPaths.pair, { code });
  sessionStorage.setItem(storageKey, token);
}

/** The code in a pairing link or in the fragment of the page's address. */
export function pairingCodeIn(text: string): string | undefined {
  const fragment = text.trim().split('#').at(-1)!;
  return new URLSearchParams(fragment).get('pairing') ?? undefined;
}
