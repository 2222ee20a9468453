import { expect, test } from 'vitest';
import { runLargeBlob } from './large-blob-run.ts';
import { temporaryDirectory } from './running-store.ts';
import { credentials } from './s3-process.ts';
import { sharedS3 } from './s3-server.ts';

const s3 = sharedS3();
/** `large-blob-long.ts` and `s3-large-long.ts` use 1 GiB. */
const mebibytes = 192;
/** Allowance for uncollected garbage; far less than the blob. */
const playMb = 90;
const timeoutMs = 300_000;

test(
  'stores and reads a large blob with no more memory than a small one',
  async () => {
    const result = await runLargeBlob(await temporaryDirectory(), mebibytes);
    expect(result.same).toBe(true);
    expect(result.putMb - result.warmMb).toBeLessThan(playMb);
    expect(result.getMb - result.warmMb).toBeLessThan(playMb);
  },
  timeoutMs,
);

test(
  'does the same with a bucket',
  async () => {
    const { bucket, endpoint, prefix } = s3().place();
    const result = await runLargeBlob(await temporaryDirectory(), mebibytes, {
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
    expect(result.same).toBe(true);
    expect(result.putMb - result.warmMb).toBeLessThan(playMb);
    expect(result.getMb - result.warmMb).toBeLessThan(playMb);
  },
  timeoutMs,
);
