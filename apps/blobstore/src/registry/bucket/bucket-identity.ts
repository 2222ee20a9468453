import type { Bucket } from '../../storage/s3/bucket.ts';

/** The settings that a bucket belongs to. They must be the same for all instances on it. */
export interface BucketIdentity {
  shards: number;
  /** Absent if the registry is in the bucket too */
  chainId?: string;
  /** Without a chain: the length of an epoch in milliseconds, null if epochs are only advanced manually */
  epochDurationMs?: number | null;
}

const prefix = 'store/';

/** The key contains all settings and the value is empty, so two versions of one key cannot differ. */
function keyOf({ shards, chainId = 'none', epochDurationMs }: BucketIdentity): string {
  const duration = epochDurationMs === undefined ? 'chain' : (epochDurationMs ?? 'hand');
  return `${prefix}${shards}.${chainId}.${duration}`;
}

function parseKey(key: string): BucketIdentity {
  const match = /^store\/(\d{1,5})\.([^.]+)\.(\d{1,15}|hand|chain)$/.exec(key);
  if (match === null) throw new Error(`the bucket has a key ${key} that a newer version may have written`);
  const [, shards, chainId, duration] = match as unknown as [string, string, string, string];
  return {
    shards: Number(shards),
    ...(chainId === 'none' ? {} : { chainId }),
    ...(duration === 'chain' ? {} : { epochDurationMs: duration === 'hand' ? null : Number(duration) }),
  };
}

/** The identity of a bucket; undefined for a new one. Throws if it has more than one. */
export async function readBucketIdentity(bucket: Bucket): Promise<BucketIdentity | undefined> {
  const keys: string[] = [];
  for await (const page of bucket.list(prefix)) keys.push(...page.map(({ key }) => key));
  if (keys.length > 1) throw new Error(`the bucket was claimed more than once: ${keys.join(', ')}`);
  return keys[0] === undefined ? undefined : parseKey(keys[0]);
}

/**
 * Writes the identity to a new bucket. If two instances write different ones at the same time, at least one of them
 * sees both, removes its own and throws.
 */
export async function claimBucket(bucket: Bucket, identity: BucketIdentity): Promise<void> {
  await bucket.put(keyOf(identity), '');
  try {
    await readBucketIdentity(bucket);
  } catch (error) {
    await bucket.remove([keyOf(identity)]);
    throw error;
  }
}

function describe({ shards, chainId, epochDurationMs }: BucketIdentity): string {
  const epochs = epochDurationMs === null ? 'by hand' : `of ${epochDurationMs} ms`;
  return `${shards} shards, ${chainId === undefined ? `no chain and epochs ${epochs}` : `the chain ${chainId}`}`;
}

/** Throws an error that names the settings if the identity of a bucket does not match them. */
export function requireSameBucketIdentity(known: BucketIdentity, wanted: BucketIdentity): void {
  if (keyOf(known) === keyOf(wanted)) return;
  throw new Error(
    `the bucket holds blobs for ${describe(known)}, not for ${describe(wanted)}: set BLOBSTORE_SHARDS (--shards), ` +
      'BLOBSTORE_EPOCH_DURATION (--epoch-duration) and BLOBSTORE_CHAIN_URL (--chain-url) to that, ' +
      'or choose another BLOBSTORE_S3_PREFIX (--s3-prefix)',
  );
}
