import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { BlobIdEncoder, BlobIdentity } from './blob-id-encoder.ts';
import type { EncodeTask } from './encode-worker.ts';

/** A thread keeps about 50 MB of WebAssembly memory, so idle ones beyond the first are let go. */
const idleTimeoutMs = 30_000;

/** The reference encoder of the Walrus SDK in a pool of at most `threads` worker threads, one always warm. */
export function createWasmEncoder(nShards: number, threads: number): BlobIdEncoder {
  const extension = extname(fileURLToPath(import.meta.url));
  const pool = new Piscina<EncodeTask, BlobIdentity>({
    filename: new URL(`./encode-worker${extension}`, import.meta.url).href,
    name: 'identify',
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
  });
  return {
    identify: (path) => pool.run({ path, nShards }),
    close: () => pool.close({ force: true }),
  };
}
