import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { computeBlobId } from '@memrelay/blob-id/blob-id';
import { blobMetadata } from '@memrelay/blob-id/encode/blob-metadata';
import { planBlob } from '@memrelay/blob-id/encode/blob-plan';
import type { Encoder } from '@memrelay/blob-id/encode/encode-blob';
import { createEncoder } from '@memrelay/blob-id/encode/encoders';
import { bytesSource } from '@memrelay/blob-id/source/blob-source';
import { BlobEncoder } from '@mysten/walrus-wasm';
import type { Bench, Measurement } from '../base/report.ts';
import { median, percentile, rounded, type Timing } from '../base/statistics.ts';

const sizes = { '1 KB': 1e3, '100 KB': 1e5, '1 MB': 1e6, '10 MB': 1e7, '100 MB': 1e8 } as const;
type Size = keyof typeof sizes;

/** Number of times that each blob is encoded, by shards. At 1000 the SDK takes more than a second per blob. */
const rounds: Record<number, Partial<Record<Size, number>>> = {
  31: { '1 KB': 200, '100 KB': 50, '1 MB': 10, '10 MB': 3 },
  1000: { '1 KB': 5, '100 KB': 5, '1 MB': 3, '10 MB': 3, '100 MB': 1 },
};

/** Shards and sizes in bytes: of notes, and of memory envelopes. */
const smallBlobs = [
  [1000, 500],
  [1000, 1334],
  [1000, 1335],
  [1000, 2048],
  [31, 1024],
  [31, 2048],
] as const;
const smallRounds = 100;

export const blobIdBench: Bench = {
  name: 'blob-id',
  about: "blob ids by our encoder and by the Walrus SDK's, in processor time of one thread",
  async run(progress) {
    progress('1 GiB from a file');
    const measurements = [await measureGibibyte()];
    for (const [shards, counts] of Object.entries(rounds)) {
      const nShards = Number(shards);
      const reference = new BlobEncoder(nShards);
      for (const [size, count] of Object.entries(counts) as [Size, number][]) {
        progress(`${size} at ${nShards} shards`);
        measurements.push(...compare(reference, nShards, size, count));
      }
      reference.free();
    }
    for (const [nShards, size] of smallBlobs) {
      progress(`${size} bytes at ${nShards} shards`);
      measurements.push(...measureSmall(nShards, size));
    }
    return {
      measurements,
      notes: [
        'Times are processor times (user and system) for one blob, not wall-clock times: other programs were using the machine.',
        'Contents are random bytes in memory; both sides encode the same ones alternately, and the ids are compared.',
        'Small blobs: new random bytes each time, alternately; roots of columns are cached from one blob to the next, up to 1,334 bytes at 1000 shards.',
        'The SDK is @mysten/walrus-wasm 0.3.0, compute_metadata. The first blob of each side is not counted.',
        '1 GiB is a file of zeros, which costs as much as any other content, in a separate process: its time includes the first use of the encoder, its memory includes Node itself.',
      ],
    };
  },
};

function compare(reference: BlobEncoder, nShards: number, size: Size, count: number): Measurement[] {
  const bytes = randomBytes(sizes[size]);
  const ours = () => computeBlobId(bytes, { nShards }).blobId;
  const theirs = () => {
    const [id] = reference.compute_metadata(bytes) as [number[]];
    return Buffer.from(id).toString('base64url');
  };
  const times = { ours: [] as number[], theirs: [] as number[] };
  if (count > 1 && ours() !== theirs()) throw new Error(`the ids of ${size} differ at ${nShards} shards`);
  for (let i = 0; i < count; i++) {
    const own = processorMs(ours);
    const other = processorMs(theirs);
    if (own.result !== other.result) throw new Error(`the ids of ${size} differ at ${nShards} shards`);
    times.ours.push(own.ms);
    times.theirs.push(other.ms);
  }
  const where = `${nShards} shards, ${size}`;
  const ratio = rounded(median(times.theirs) / median(times.ours));
  return [
    { what: `${where}, Walrus SDK`, timing: timingOf(times.theirs) },
    { what: `${where}, ours`, timing: timingOf(times.ours), more: { 'times less than the SDK': ratio } },
  ];
}

/** The same blobs with an encoder that caches the roots of columns, and with one that does not. */
function measureSmall(nShards: number, size: number): Measurement[] {
  const keeping = createEncoder(nShards);
  const plain = { ...createEncoder(nShards), columnRoots: undefined };
  const plan = planBlob(keeping.matrix, size);
  const idBy = (encoder: Encoder, bytes: Uint8Array) => blobMetadata(encoder, plan, bytesSource(bytes)).id;
  const times = { keeping: [] as number[], plain: [] as number[] };
  for (let i = 0; i < smallRounds; i++) {
    const bytes = randomBytes(size);
    const before = processorMs(() => idBy(plain, bytes));
    const after = processorMs(() => idBy(keeping, bytes));
    if (!Buffer.from(before.result).equals(after.result)) throw new Error(`the ids of ${size} bytes differ`);
    times.plain.push(before.ms);
    times.keeping.push(after.ms);
  }
  const where = `${nShards} shards, ${size} bytes`;
  // The table fills in the first half
  const filled = times.keeping.slice(smallRounds / 2);
  const ratio = rounded(median(times.plain) / median(filled));
  return [
    { what: `${where}, without kept roots`, timing: timingOf(times.plain) },
    { what: `${where}, ours`, timing: timingOf(filled), more: { 'times less': ratio } },
  ];
}

async function measureGibibyte(): Promise<Measurement> {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-bench-'));
  try {
    const path = join(directory, 'blob');
    await writeFile(path, '');
    await truncate(path, 2 ** 30);
    const script = fileURLToPath(new URL('../system/identify-file.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, path, '1000']);
    const { ms, mebibytes } = JSON.parse(stdout) as { ms: number; mebibytes: number };
    return {
      what: '1000 shards, 1 GiB in a file, ours',
      timing: timingOf([ms]),
      more: { 'MiB of its process at most': Math.round(mebibytes) },
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

function processorMs<T>(work: () => T): { result: T; ms: number } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, ms: (user + system) / 1000 };
}

function timingOf(times: readonly number[]): Timing {
  return {
    count: times.length,
    p50: rounded(median(times)),
    p95: rounded(percentile(times, 0.95)),
    perSecond: rounded(1000 / median(times)),
  };
}
