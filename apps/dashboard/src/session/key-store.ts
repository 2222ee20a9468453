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

const storeName = 'keys';

/** The key for this account, or undefined if there is none, or if the browser lost the key that decrypts it. */
export async function loadKey(accountId: string): Promise<BrowserKey | undefined> {
  const stored = await inStore<StoredKey | undefined>('readonly', (store) => store.get(accountId));
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
  await inStore('readwrite', (store) => store.put(stored, accountId));
}

export async function deleteKey(accountId: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(accountId));
}

async function inStore<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const database = await openDatabase();
  try {
    const request = use(database.transaction(storeName, mode).objectStore(storeName));
    return await new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result as T);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('memrelay', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
