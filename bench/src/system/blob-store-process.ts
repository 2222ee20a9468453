import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPart } from '@memrelay/process/start-part';

const entry = fileURLToPath(new URL('../../../apps/blobstore/src/main.ts', import.meta.url));

export interface BlobStoreProcess {
  url: string;
  /** Its peak memory so far, MiB; NaN without `/proc` */
  peakMiB(): number;
  stop(): Promise<void>;
}

/** A separate blob store, without a chain, in a temporary directory on a free port. */
export async function startBlobStore(flags: readonly string[]): Promise<BlobStoreProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-bench-'));
  const { PATH, HOME, TMPDIR, NODE_OPTIONS } = process.env;
  const part = await startPart({
    name: 'blobstore',
    entry,
    args: ['--port', '0', '--data-dir', directory, ...flags],
    environment: { PATH, HOME, TMPDIR, NODE_OPTIONS, LOG_LEVEL: 'warn' },
    onLine: () => undefined,
  });
  return {
    url: part.url,
    peakMiB() {
      if (process.platform !== 'linux') return Number.NaN;
      const status = readFileSync(`/proc/${part.pid}/status`, 'utf8');
      return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024);
    },
    async stop() {
      await part.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
