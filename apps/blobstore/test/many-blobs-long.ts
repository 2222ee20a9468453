/**
 * Measures the duration of a start, its processor time, and the memory of the index: `node --expose-gc
 * apps/blobstore/test/many-blobs-long.ts [blobs]`, 100,000 by default. Writes its result to `bench/results/`.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openDiskStorage } from '../src/storage/disk-storage.ts';
import { folderNames } from '../src/storage/object-file.ts';

function randomHash(): string {
  return randomBytes(32).toString('base64url');
}

/** Creates one-byte files with the names of blobs. A start reads only the names. */
async function fill(dataDir: string, blobs: number): Promise<void> {
  const perFolder = Math.ceil(blobs / folderNames.length);
  for (const folder of folderNames) {
    const path = join(dataDir, 'objects', folder);
    await mkdir(path, { recursive: true });
    const files = Array.from({ length: perFolder }, () => {
      const digest = Buffer.concat([Buffer.from(folder, 'hex'), randomBytes(31)]).toString('base64url');
      return writeFile(join(path, `1.${randomHash()}.${randomHash()}.${digest}`), 'x');
    });
    await Promise.all(files);
  }
}

function memoryBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const blobs = Number(process.argv[2] ?? 100_000);
const dataDir = await mkdtemp(join(tmpdir(), 'blobstore-many-'));
try {
  await fill(dataDir, blobs);
  const before = memoryBytes();
  const startMs: number[] = [];
  const processorMs: number[] = [];
  let storage = await openDiskStorage(dataDir, pino({ level: 'silent' }));
  const bytesPerBlob = Math.round((memoryBytes() - before) / blobs);
  for (let start = 0; start < 3; start += 1) {
    await storage.close();
    const startedAtMs = performance.now();
    const usedBefore = process.cpuUsage();
    storage = await openDiskStorage(dataDir, pino({ level: 'silent' }));
    startMs.push(Math.round(performance.now() - startedAtMs));
    const { user, system } = process.cpuUsage(usedBefore);
    processorMs.push(Math.round((user + system) / 1000));
  }
  const at = new Date().toISOString();
  const content = {
    about: 'the index of a blob store, rebuilt from its folder',
    at,
    blobs,
    bytesPerBlob,
    startMs,
    processorMs,
  };
  const name = `../../../bench/results/${at.slice(0, 10)}-blobstore-many.json`;
  await writeFile(fileURLToPath(new URL(name, import.meta.url)), `${JSON.stringify(content, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(content, null, 2)}\n`);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
