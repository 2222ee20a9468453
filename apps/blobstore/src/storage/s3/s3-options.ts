/** The bucket and its server. Credentials come from the standard AWS chain (variables, files, instance roles). */
export interface S3Options {
  bucket: string;
  /** Prefix of all keys, so that a bucket can be shared with other data; no slash at either end */
  prefix?: string;
  /** Absent for AWS itself */
  endpoint?: string;
  /** From the AWS environment when absent; `us-east-1` with an endpoint and no region */
  region?: string;
  /** `endpoint/bucket/key` in place of `bucket.endpoint/key`; most servers other than AWS need it */
  forcePathStyle?: boolean;
  /** Time limit of a request including retries, in milliseconds; not for uploads of blobs */
  timeoutMs?: number;
  /** Keys per listing request, 1000 at most */
  pageSize?: number;
}

/** The usual notation for a bucket with its prefix. */
export function nameOf({ bucket, prefix }: S3Options): string {
  return `s3://${bucket}${prefix === undefined ? '' : `/${prefix}`}`;
}
