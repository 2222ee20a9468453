import type { Bucket } from '../../storage/s3/bucket.ts';

/** What a bucket holds blobs for. All instances on it must agree. */
export interface BucketIdentity {
  shards: number;
  /** Absent where the bucket keeps the registry as well */
  chainId?: string;
  /** Without a chain: the length of an epoch, null where epochs are advanced by hand alone */
  epochDurationMs?: number | null;
}

const prefix = 'store/';

/** The key contains everything, so there is no content that could exist in two versions. */
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

/** The identity that a bucket was given; undefined for one without blobs. Throws for one with two. */
export async function readBucketIdentity(bucket: Bucket): Promise<BucketIdentity | undefined> {
  const keys: string[] = [];
  for await (const page of bucket.list(prefix)) keys.push(...page.map(({ key }) => key));
  if (keys.length > 1) throw new Error(`the bucket was claimed more than once: ${keys.join(', ')}`);
  return keys[0] === undefined ? undefined : parseKey(keys[0]);
}

/**
 * Marks a new bucket. If two instances mark it differently at the same time, at least one of them sees both marks,
 * removes its own and throws.
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

/** Throws, naming the settings, when a bucket is used for something else than it was made for. */
export function requireSameBucketIdentity(known: BucketIdentity, wanted: BucketIdentity): void {
  if (keyOf(known) === keyOf(wanted)) return;
  throw new Error(
    `the bucket holds blobs for ${describe(known)}, not for ${describe(wanted)}: set BLOBSTORE_SHARDS (--shards), ` +
      'BLOBSTORE_EPOCH_DURATION (--epoch-duration) and BLOBSTORE_CHAIN_URL (--chain-url) to that, ' +
      'or choose another BLOBSTORE_S3_PREFIX (--s3-prefix)',
  );
}
