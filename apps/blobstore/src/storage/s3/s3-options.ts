/** Which bucket, and where. Credentials come from the standard AWS chain (variables, files, instance roles). */
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
  /** How long a request may take until it is answered, with its repetitions; not sending a blob. Milliseconds */
  timeoutMs?: number;
  /** Keys per listing request, 1000 at most */
  pageSize?: number;
}

/** How people write the place of a bucket. */
export function nameOf({ bucket, prefix }: S3Options): string {
  return `s3://${bucket}${prefix === undefined ? '' : `/${prefix}`}`;
}
