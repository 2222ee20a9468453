import { readFile } from 'node:fs/promises';
import { signBls } from '@memrelay/chain/walrus-bls';
import { anyCaseHex32Pattern } from '@memrelay/protocol/bytes';
import { Piscina } from 'piscina';

/** Signs for all storage nodes of the network at once. */
export interface NodeSigner {
  /** BLS signatures of the messages, in their order, as compressed G2 points */
  sign(messages: Uint8Array[]): Promise<Uint8Array[]>;
  close(): Promise<void>;
}

/** Reads the secret key of the storage nodes from a file with 64 hex digits. Errors never contain the content. */
export async function readNodeKey(path: string): Promise<Uint8Array> {
  const text = await readFile(path, 'utf8').then(
    (content) => content.trim(),
    (cause: unknown) => {
      throw new Error(`BLOBSTORE_NODE_KEY_FILE: ${path} cannot be read`, { cause });
    },
  );
  if (!anyCaseHex32Pattern.test(text)) {
    throw new Error(`BLOBSTORE_NODE_KEY_FILE: ${path} must hold a key of 64 hex digits`);
  }
  return Buffer.from(text, 'hex');
}

const threads = 2;
/** Threads start when they are needed, and end after this time without work, in milliseconds. */
const idleTimeoutMs = 60_000;

/**
 * One signature takes 2 ms of computation. A single signature is computed in this thread, which is faster than
 * passing it on. Several are divided among worker threads.
 */
export function createNodeSigner(secretKey: Uint8Array): NodeSigner {
  const pool = new Piscina<Uint8Array[], Uint8Array[]>({
    filename: new URL('./sign-worker.ts', import.meta.url).href,
    name: 'sign',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    workerData: secretKey,
  });
  return {
    async sign(messages) {
      const [only, ...others] = messages;
      if (only !== undefined && others.length === 0) return [signBls(secretKey, only)];
      const share = Math.ceil(messages.length / threads);
      const shares = [messages.slice(0, share), messages.slice(share)].filter(({ length }) => length > 0);
      return (await Promise.all(shares.map((part) => pool.run(part)))).flat();
    },
    close: () => pool.close({ force: true }),
  };
}
