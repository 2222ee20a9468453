import { S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from './s3-options.ts';

const connectionTimeoutMs = 5000;
/**
 * Maximum time until a response begins, between two pieces of it, and for sending a part of an upload, in
 * milliseconds.
 */
const silenceMs = 60_000;
/** More than the number of concurrent readers, so that listings do not wait for their streams. */
const maxSockets = 512;

/**
 * Creates the client of the AWS SDK, with limits on time and retries. Bodies are signed, so the server rejects a
 * body that was changed in transit. The newer checksums would add no protection and are not supported by all
 * servers.
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
