import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { pairingNonce } from '@memrelay/sdk/local-dashboard-node';
import { browserProofMessage } from './browser-proof.ts';
import type { BrowserProof } from './wallet-api.ts';
import { WalletRefusal } from './wallet-refusal.ts';

/** Maximum number of browser tabs that may use the wallet; beyond it the oldest loses access. */
const maxTabs = 200;
const maxBrowsers = 50;
const maxChallenges = 100;
/** The form of every pairing code: 36 bytes */
const wholeCode = /^[\w-]{48}$/;

/**
 * Controls access to the local wallet: a browser needs a pairing code of this run, and each code works once. Until the system
 * stops, the browser gets tokens for other tabs by signing a challenge with the key that it registered with the code.
 */
export interface WalletAccess {
  /** A token for one tab. Registers the browser's key if there is one. Throws `WalletRefusal` */
  pair(code: string, browserKey?: string): string;
  /** For `resume`; works once */
  challenge(): string;
  /** A token for one tab of a paired browser. Throws `WalletRefusal` */
  resume(proof: BrowserProof, origin: string): string;
  /** Throws `WalletRefusal` unless the header carries a tab's token */
  require(authorization: string | undefined): void;
}

export function createWalletAccess(startToken: string): WalletAccess {
  const usedNonces = new Set<string>();
  const tabs = new Set<string>();
  const browsers = new Set<string>();
  const challenges = new Set<string>();
  const newToken = (): string => {
    const token = randomBytes(32).toString('base64url');
    addBounded(tabs, token, maxTabs);
    return token;
  };
  return {
    pair(code, browserKey) {
      const found = pairingNonce(startToken, code);
      if (found === 'expired')
        throw new WalletRefusal(
          403,
          'pairing_expired',
          'This link has expired. Run `npx memrelay pair` for a new one.',
        );
      if (found === undefined && !wholeCode.test(code))
        throw new WalletRefusal(
          403,
          'pairing_incomplete',
          'This link is incomplete. Copy all of it, or run `npx memrelay pair` for a new one.',
        );
      if (found === undefined)
        throw new WalletRefusal(
          403,
          'pairing_foreign',
          'This link is not from the running system, or the system was restarted after it was created. Run `npx memrelay pair` for a new one.',
        );
      if (usedNonces.has(found.nonce))
        throw new WalletRefusal(
          403,
          'pairing_used',
          'This link has already been used. Run `npx memrelay pair` for a new one.',
        );
      usedNonces.add(found.nonce);
      if (browserKey !== undefined) addBounded(browsers, browserKey, maxBrowsers);
      return newToken();
    },
    challenge() {
      const challenge = randomBytes(32).toString('base64url');
      addBounded(challenges, challenge, maxChallenges);
      return challenge;
    },
    resume(proof, origin) {
      if (!challenges.delete(proof.challenge) || !browsers.has(proof.browserKey) || !isProven(proof, origin))
        throw notPaired();
      return newToken();
    },
    require(authorization) {
      const token = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(authorization ?? '')?.[1];
      if (token === undefined || !tabs.has(token)) throw notPaired();
    },
  };
}

function notPaired(): WalletRefusal {
  const message = 'This browser is not allowed to use the wallet, or no longer allowed.';
  return new WalletRefusal(401, 'not_paired', message);
}

/** The oldest gives way. */
function addBounded(set: Set<string>, value: string, max: number): void {
  set.add(value);
  if (set.size > max) set.delete(set.values().next().value!);
}

function isProven({ browserKey, challenge, signature }: BrowserProof, origin: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(browserKey, 'base64url'), format: 'der', type: 'spki' });
    const message = browserProofMessage(origin, challenge);
    const bytes = Buffer.from(signature, 'base64url');
    return (
      key.asymmetricKeyDetails?.namedCurve === 'prime256v1' &&
      verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, bytes)
    );
  } catch {
    // Not a key
    return false;
  }
}
