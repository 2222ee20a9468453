import { randomBytes } from 'node:crypto';
import { pairingNonce } from '@memrelay/sdk/local-dashboard-node';
import { WalletRefusal } from './wallet-refusal.ts';

/** Maximum number of browser tabs that may use the wallet; beyond it the oldest loses access. */
const maxTabs = 200;

/** Controls access to the local wallet: a tab needs a pairing code of this run, and each code works once. */
export interface WalletAccess {
  /** A token for one tab. Throws `WalletRefusal` */
  pair(code: string): string;
  /** Throws `WalletRefusal` unless the header carries a tab's token */
  require(authorization: string | undefined): void;
}

export function createWalletAccess(startToken: string): WalletAccess {
  const usedNonces = new Set<string>();
  const tabs = new Set<string>();
  return {
    pair(code) {
      const found = pairingNonce(startToken, code);
      if (found === 'expired')
        throw new WalletRefusal(
          403,
          'pairing_expired',
          'This link has expired. Run `npx memrelay pair` for a new one.',
        );
      if (found === undefined)
        throw new WalletRefusal(
          403,
          'pairing_refused',
          'This link is incomplete, or the system was restarted after it was created. Run `npx memrelay pair` for a new one.',
        );
      if (usedNonces.has(found.nonce))
        throw new WalletRefusal(
          403,
          'pairing_used',
          'This link has already been used. Run `npx memrelay pair` for a new one.',
        );
      usedNonces.add(found.nonce);
      const token = randomBytes(32).toString('base64url');
      tabs.add(token);
      if (tabs.size > maxTabs) tabs.delete(tabs.values().next().value!);
      return token;
    },
    require(authorization) {
      const token = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(authorization ?? '')?.[1];
      if (token === undefined || !tabs.has(token))
        throw new WalletRefusal(
          401,
          'not_paired',
          'This tab is not allowed to use the wallet, or no longer allowed.',
        );
    },
  };
}
