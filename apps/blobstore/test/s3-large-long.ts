/**
 * 1 GiB in and out of a store with a bucket, as streams: `node apps/blobstore/test/s3-large-long.ts [mebibytes]`.
 * Writes the peak memory of the store to `bench/results/`, and fails if it grew with the blob. On Linux.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLargeBlob } from './large-blob-run.ts';
import { credentials, startS3, stopS3 } from './s3-process.ts';

/** Allowed growth over the memory for a blob of 64 MiB, in megabytes */
const allowedMb = 100;

const directory = await mkdtemp(join(tmpdir(), 'blobstore-large-'));
const server = await startS3();
try {
  const { bucket, endpoint, prefix } = server.place();
  const result = await runLargeBlob(directory, Number(process.argv[2] ?? 1024), {
    args: [
      '--s3-bucket',
      bucket,
      '--s3-endpoint',
      endpoint!,
      '--s3-prefix',
      prefix!,
      '--s3-force-path-style',
    ],
    env: credentials,
  });
  const at = new Date().toISOString();
  const about = 'one large blob in and out of a bucket: peak memory of the store, and seconds';
  const content = { about, at, ...result };
  const name = `../../../bench/results/${at.slice(0, 10)}-blobstore-s3-large.json`;
  await writeFile(fileURLToPath(new URL(name, import.meta.url)), `${JSON.stringify(content, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(content, null, 2)}\n`);
  const highest = Math.max(result.putMb, result.getMb);
  process.exitCode = result.same && highest - result.warmMb < allowedMb ? 0 : 1;
} finally {
  await stopS3(server);
  await rm(directory, { recursive: true, force: true });
}
