import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import { type Bucket, openBucket } from '../src/storage/s3/bucket.ts';
import { createS3Client } from '../src/storage/s3/s3-client.ts';
import type { S3Options } from '../src/storage/s3/s3-options.ts';
import { credentials, type S3Server, startS3, stopS3 } from './s3-process.ts';

/** One server for all tests of a file. */
export function sharedS3(): () => S3Server {
  let server: S3Server;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    server = await startS3();
  });
  afterAll(async () => {
    await stopS3(server);
    vi.unstubAllEnvs();
  });
  return () => server;
}

/** Opens the bucket in `options`; it is closed after the test. */
export function bucketAt(options: S3Options): Bucket {
  const client = createS3Client(options);
  onTestFinished(() => client.destroy());
  return openBucket(client, options);
}

/** All keys of a bucket. */
export async function keysOf(of: Bucket, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of of.list(prefix)) keys.push(...page.map(({ key }) => key));
  return keys;
}
