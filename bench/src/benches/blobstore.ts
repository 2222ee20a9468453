import { randomFillSync } from 'node:crypto';
import type { Bench, Measurement } from '../base/report.ts';
import { measure, rounded } from '../base/statistics.ts';
import { startNginx } from '../baselines/nginx.ts';
import { startBlobStore } from '../system/blob-store-process.ts';
import { closeConnections, transfer } from '../system/http-transfer.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const mib = 1024 * 1024;
const sizes = [
  { name: '1 KB', bytes: 1024, count: 320 },
  { name: '100 KB', bytes: 102_400, count: 160 },
  { name: '1 MB', bytes: mib, count: 80 },
  { name: '10 MB', bytes: 10 * mib, count: 16 },
] as const;
const concurrencies = [1, 16] as const;
const gib = 1024 * mib;

interface Target {
  put(key: number, bytes: Buffer): Promise<void>;
  get(key: number): Promise<unknown>;
}

export const blobstoreBench: Bench = {
  name: 'blobstore',
  about: 'PUT and GET of the blob store compared with nginx on the same files',
  async run(progress) {
    const measurements: Measurement[] = [];
    const skipped: string[] = [];
    const nginx = await startNginx().catch((error: Error) => {
      skipped.push(`Without nginx: ${error.message}`);
      return undefined;
    });
    const store = await startBlobStore([
      ...['--max-body-size', String(2 * mib)],
      ...['--publisher-max-concurrent-requests', '16', '--publisher-max-buffer-size', '64'],
    ]);
    try {
      const ids = new Map<number, string>();
      const beside: Target | undefined = nginx && {
        async put(key, bytes) {
          await transfer('PUT', `${nginx.url}/${key}`, bytes);
        },
        get: (key) => transfer('GET', `${nginx.url}/${key}`),
      };
      const blobStore: Target = {
        async put(key, bytes) {
          const { text } = await transfer('PUT', `${store.url}/v1/blobs`, bytes);
          ids.set(key, JSON.parse(text).newlyCreated.blobObject.blobId);
        },
        get: (key) => transfer('GET', `${store.url}/v1/blobs/${ids.get(key)}`),
      };
      let first = 0;
      for (const { name, bytes, count } of sizes) {
        for (const concurrency of concurrencies) {
          progress(`${name}, ${concurrency} at once`);
          const from = first;
          first += count;
          for (const verb of ['put', 'get'] as const) {
            const load = { bytes, count, concurrency };
            const nginxTime = beside && (await timed(beside, verb, from, load));
            const before = cpuSoFar();
            const storeTime = await timed(blobStore, verb, from, load);
            const cpuMs = cpuSince(before, count);
            const what = `${verb.toUpperCase()} ${name}, ${concurrency} at once`;
            const measured = { what: `${what}: blob store`, timing: storeTime, cpuMs };
            if (nginxTime === undefined) measurements.push(measured);
            else {
              const more = { 'p50 over nginx': rounded(storeTime.p50 / nginxTime.p50) };
              measurements.push({ what: `${what}: nginx`, timing: nginxTime }, { ...measured, more });
            }
          }
        }
      }
      progress('storing and reading 1 GiB');
      measurements.push(...(await large(store.url, store.peakMiB)));
    } finally {
      closeConnections();
      await store.stop();
      await nginx?.stop();
    }
    return {
      measurements,
      notes: [
        ...skipped,
        'Random content; the blob store computes true ids for 1000 shards, keeps checksums, syncs content and registry to the disk before it responds, and verifies what it reads; a block verified in the last ten minutes is not hashed again while its file is unchanged. nginx does none of this: the ratio is the price of all of it together.',
        'Reads use the keys that were just written, from the page cache.',
        'Client and servers share the machine; connections are kept alive.',
      ],
    };
  },
};

interface Load {
  bytes: number;
  count: number;
  concurrency: number;
}

function timed(target: Target, verb: 'put' | 'get', from: number, { bytes, count, concurrency }: Load) {
  // Filled before the clock starts if it fits; large bodies differ only in their first bytes
  const content = randomFillSync(Buffer.alloc(bytes));
  return measure(count, concurrency, (index) => {
    const key = from + index;
    if (verb === 'get') return target.get(key);
    const body = Buffer.from(content);
    body.writeUInt32LE(key);
    return target.put(key, body);
  });
}

/** Stores and reads one blob of 1 GiB; returns the process's peak memory. */
async function large(url: string, peakMiB: () => number): Promise<Measurement[]> {
  const block = randomFillSync(Buffer.alloc(mib));
  async function* chunks() {
    for (let i = 0; i < gib / mib; i++) {
      block.writeUInt32LE(i);
      yield Buffer.from(block);
    }
  }
  const before = peakMiB();
  let blobId = '';
  const put = await measure(1, 1, async () => {
    const { text } = await transfer('PUT', `${url}/v1/blobs`, { size: gib, chunks: chunks() });
    blobId = JSON.parse(text).newlyCreated.blobObject.blobId;
  });
  const afterPut = peakMiB();
  const get = await measure(1, 1, async () => {
    const { bytes } = await transfer('GET', `${url}/v1/blobs/${blobId}`);
    if (bytes !== gib) throw new Error(`read ${bytes} of ${gib} bytes`);
  });
  const memory = (after: number) => ({ 'peak MiB before': before, 'peak MiB after': after });
  return [
    { what: 'PUT 1 GiB: blob store', timing: put, more: memory(afterPut) },
    { what: 'GET 1 GiB: blob store', timing: get, more: memory(peakMiB()) },
  ];
}
