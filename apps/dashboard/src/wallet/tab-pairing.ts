import { askWallet } from './ask-wallet.ts';
import { existingPairingKey, pairingKey } from './browser-key.ts';
import { WalletError } from './owner-wallet.ts';
import { walletPaths } from './wallet-api.ts';

/**
 * Only for this tab: removed when it is closed, and invalid after a restart of the system. Another tab of the same browser gets
 * a separate one with the browser's key.
 */
const storageKey = 'memrelay.wallet-token';

export function tabToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

export function forgetPairing(): void {
  sessionStorage.removeItem(storageKey);
}

/** Pairs this browser with the local wallet; a code works once. Rejects with `WalletError`. */
export async function pairTab(code: string): Promise<void> {
  const { publicKey } = await pairingKey();
  const { token } = await askWallet<{ token: string }>(walletPaths.pair, { code, browserKey: publicKey });
  sessionStorage.setItem(storageKey, token);
}

/** Gets a token for this tab if another tab of this browser was paired. Rejects with `WalletError`. */
export async function resumePairing(): Promise<boolean> {
  const key = await existingPairingKey();
  if (!key) return false;
  try {
    const { challenge } = await askWallet<{ challenge: string }>(walletPaths.challenge, {});
    const proof = { browserKey: key.publicKey, challenge, signature: await key.prove(challenge) };
    const { token } = await askWallet<{ token: string }>(walletPaths.resume, proof);
    sessionStorage.setItem(storageKey, token);
    return true;
  } catch (error) {
    // Another start of the system, which does not know this browser
    if (error instanceof WalletError && error.code === 'not_paired') return false;
    throw error;
  }
}

/** The code in a pairing link or in the fragment of the page's address. */
export function pairingCodeIn(text: string): string | undefined {
  const fragment = text.trim().split('#').at(-1)!;
  return new URLSearchParams(fragment).get('pairing') ?? undefined;
}
