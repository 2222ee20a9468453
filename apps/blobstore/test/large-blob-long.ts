/**
 * The long form of `large-blob.test.ts`: `node apps/blobstore/test/large-blob-long.ts [mebibytes]`, 1024 by
 * default, on disk and in a bucket. Keeps its result in `bench/results/`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLargeBlob } from './large-blob-run.ts';
import { credentials, startS3, stopS3 } from './s3-process.ts';

const mebibytes = Number(process.argv[2] ?? 1024);
const directory = await mkdtemp(join(tmpdir(), 'blobstore-large-'));
const server = await startS3();
try {
  const { bucket, endpoint, prefix } = server.place();
  const args = [
    '--s3-bucket',
    bucket,
    '--s3-endpoint',
    endpoint!,
    '--s3-prefix',
    prefix!,
    '--s3-force-path-style',
  ];
  const disk = await runLargeBlob(join(directory, 'disk'), mebibytes);
  const s3 = await runLargeBlob(join(directory, 's3'), mebibytes, { args, env: credentials });
  const at = new Date().toISOString();
  const content = { about: 'one large blob in and out: peak memory of the store, and seconds', at, disk, s3 };
  const name = `../../../bench/results/${at.slice(0, 10)}-blobstore-large.json`;
  await writeFile(fileURLToPath(new URL(name, import.meta.url)), `${JSON.stringify(content, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(content, null, 2)}\n`);
} finally {
  await stopS3(server);
  await rm(directory, { recursive: true, force: true });
}
