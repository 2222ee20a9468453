import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { S3Options } from '../src/storage/s3/s3-options.ts';

const bin = createRequire(import.meta.url).resolve('s3rver/bin/s3rver.js');
const bucket = 'blobs';

/** The credentials that s3rver accepts. */
export const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export interface S3Server {
  child: ChildProcess;
  endpoint: string;
  /** Where the server stores its data */
  directory: string;
  /** A prefix of its bucket that no other test uses */
  place(endpoint?: string): S3Options;
}

/** An S3-compatible server (s3rver) in a separate process. The caller stops it and removes its directory. */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  const child = spawn(
    process.execPath,
    // s3rver encrypts its continuation tokens with DES, which is in OpenSSL's legacy provider.
    ['--openssl-legacy-provider', bin, '-d', directory, '-a', '127.0.0.1', '-p', '0', '-s'].concat(
      '--configure-bucket',
      bucket,
    ),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout! });
  for await (const line of lines) {
    const port = /listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    const own = `http://127.0.0.1:${port}`;
    let places = 0;
    const place = (endpoint = own): S3Options => {
      places += 1;
      return { bucket, endpoint, forcePathStyle: true, prefix: `test/${places}` };
    };
    return { child, endpoint: own, directory, place };
  }
  throw new Error('s3rver ended before it listened');
}

export async function stopS3({ child, directory }: S3Server): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await rm(directory, { recursive: true, force: true });
}
