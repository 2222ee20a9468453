import { inStore } from './browser-database.ts';
import { browserProofMessage } from './browser-proof.ts';

/** The key that proves that this browser was paired. No script can read its private half. */
export interface PairingKey {
  /** Subject public key info, base64url */
  publicKey: string;
  prove(challenge: string): Promise<string>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const slot = 'browser';

export async function existingPairingKey(): Promise<PairingKey | undefined> {
  const pair = await inStore<CryptoKeyPair | undefined>('pairing', 'readonly', (store) => store.get(slot));
  return pair && pairingKeyOf(pair);
}

/** Creates the key if this browser has none. */
export async function pairingKey(): Promise<PairingKey> {
  const existing = await existingPairingKey();
  if (existing) return existing;
  const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  await inStore('pairing', 'readwrite', (store) => store.put(pair, slot));
  return pairingKeyOf(pair);
}

async function pairingKeyOf({ publicKey, privateKey }: CryptoKeyPair): Promise<PairingKey> {
  return {
    publicKey: base64url(await crypto.subtle.exportKey('spki', publicKey)),
    async prove(challenge) {
      const message = browserProofMessage(window.location.origin, challenge);
      return base64url(await crypto.subtle.sign({ ...algorithm, hash: 'SHA-256' }, privateKey, message));
    },
  };
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
