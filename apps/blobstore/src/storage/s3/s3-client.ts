import { S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from './s3-options.ts';

const connectionTimeoutMs = 5000;
/** Until the answer begins, and between two pieces of it. A part of an upload is sent in this time. */
const silenceMs = 60_000;
/** As many as there are readers, so that no listing waits behind the streams of others. */
const maxSockets = 512;

/**
 * The client of the AWS SDK, bounded in time and in repetitions. Bodies are signed, so the server refuses what
 * arrived otherwise than it was sent; the newer checksums would add nothing but servers that do not know them.
 */
export function createS3Client({ endpoint, region, forcePathStyle = false }: S3Options): S3Client {
  const known = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(known === undefined ? {} : { region: known }),
    forcePathStyle,
    maxAttempts: 3,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: silenceMs,
      throwOnRequestTimeout: true,
      socketTimeout: silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}
