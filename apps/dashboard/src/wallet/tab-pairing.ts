import { askWallet } from './ask-wallet.ts';
import { walletPaths } from './wallet-api.ts';

/** Of this tab alone, gone when it is closed; worth nothing once the system was started anew. */
const storageKey = 'memrelay.wallet-token';

export function tabToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

export function forgetPairing(): void {
  sessionStorage.removeItem(storageKey);
}

/** Pairs this tab with the local wallet; a code is good once. Rejects with `WalletError`. */
export async function pairTab(code: string): Promise<void> {
  const { token } = await askWallet<{ token: string }>(walletPaths.pair, { code });
  sessionStorage.setItem(storageKey, token);
}

/** The code in a pairing link, or in a fragment of the page's own address. */
export function pairingCodeIn(text: string): string | undefined {
  const fragment = text.trim().split('#').at(-1)!;
  return new URLSearchParams(fragment).get('pairing') ?? undefined;
}
