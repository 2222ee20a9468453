import { inStore } from '../wallet/browser-database.ts';

/** The delegate key of this browser, as IndexedDB keeps it: encrypted with a key that scripts cannot read out. */
interface StoredKey {
  wrappingKey: CryptoKey;
  iv: Uint8Array<ArrayBuffer>;
  sealed: ArrayBuffer;
  /** 64 hex digits */
  publicKey: string;
}

export interface BrowserKey {
  privateKey: Uint8Array;
  /** 64 hex digits */
  publicKey: string;
}

/** The key for this account, or undefined if there is none, or if the browser lost the key that decrypts it. */
export async function loadKey(accountId: string): Promise<BrowserKey | undefined> {
  const stored = await inStore<StoredKey | undefined>('keys', 'readonly', (store) => store.get(accountId));
  if (!stored) return undefined;
  try {
    const seed = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: stored.iv },
      stored.wrappingKey,
      stored.sealed,
    );
    return { privateKey: new Uint8Array(seed), publicKey: stored.publicKey };
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Replaces the account's key. */
export async function saveKey(accountId: string, { privateKey, publicKey }: BrowserKey): Promise<void> {
  const wrappingKey = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const seed = Uint8Array.from(privateKey);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, wrappingKey, seed);
  seed.fill(0);
  const stored: StoredKey = { wrappingKey, iv, sealed, publicKey };
  await inStore('keys', 'readwrite', (store) => store.put(stored, accountId));
}
