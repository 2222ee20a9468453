/** What the dashboard keeps in this browser: the key of the pairing, and the delegate key of each account. */
type StoreName = 'pairing' | 'keys';

/** One request to one store. Rejects with the database's own error. */
export async function inStore<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest,
): Promise<T> {
  const database = await openDatabase();
  try {
    const request = use(database.transaction(name, mode).objectStore(name));
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
    request.onupgradeneeded = () => {
      request.result.createObjectStore('pairing');
      request.result.createObjectStore('keys');
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
