import type { AuthSettings } from '../auth/publisher-auth.ts';
import type { ConcurrencyLimit } from '../http/admission.ts';
import type { RegistryOptions } from '../registry/open-registry.ts';
import type { S3Options } from '../storage/s3/s3-options.ts';
import type { Tip } from '../upload-relay/tip.ts';

export interface BlobStoreOptions extends RegistryOptions {
  /** Address to listen on, 127.0.0.1 by default */
  host?: string;
  /** URL at which clients reach the storage nodes; the listen address by default */
  nodeUrl?: string;
  /** 0 picks a free port; Walrus daemons use 31415 */
  port: number;
  /** Bucket for the blobs; without it they are in the data directory */
  s3?: S3Options;
  limits?: Partial<Limits>;
  /** Destroys the objects of stores without a receiver; by default the publisher keeps them */
  burnAfterStore?: boolean;
  /** Removes the data of deleted blobs immediately instead of at the end of the epoch */
  deletesDataAtOnce?: boolean;
  /** How long to keep content that the registry does not know, in milliseconds; seven days by default */
  quarantineMs?: number;
  /** Enables the routes below `/admin` for callers that send this token */
  adminToken?: string;
  /** Origins whose pages may do more than read; any by default */
  allowedOrigins?: readonly string[];
  /** Attributes that reads return as headers, in lower case; the specification's six by default */
  allowedHeaders?: ReadonlySet<string>;
  /** Returns all tags of a quilt patch as headers, not only the allowed ones */
  allowsAllTagHeaders?: boolean;
  /** YAML file that lists the blobs that are neither served nor stored */
  blocklistFile?: string;
  /** The token requirements of stores; without them anyone may store */
  auth?: AuthSettings;
  /** The tip that the upload relay requires, with a chain; without it uploads are free */
  tip?: Tip;
  /** Worker threads that compute blob ids; as many as there are processors by default */
  encoderThreads?: number;
}

export interface Limits {
  /** Largest accepted body of a store, in bytes */
  maxBodyBytes: number;
  /** Largest accepted form of a quilt store, in bytes */
  maxQuiltBodyBytes: number;
  /** Largest blob that can be read, in bytes; `Infinity` for no limit */
  maxBlobBytes: number;
  /** Most bytes of blobs in the data directory; `Infinity` for no limit. Not used with a bucket. */
  maxStoreBytes: number;
  /** How long a client may stop reading its response before it is disconnected, in milliseconds */
  stalledSendMs: number;
  publisher: ConcurrencyLimit;
  aggregator: ConcurrencyLimit;
}

/** The defaults of the real daemons (release 1.56). */
export const defaultLimits: Limits = {
  maxBodyBytes: 10_240 * 1024,
  maxQuiltBodyBytes: 102_400 * 1024,
  maxBlobBytes: Number.POSITIVE_INFINITY,
  maxStoreBytes: Number.POSITIVE_INFINITY,
  stalledSendMs: 60_000,
  publisher: { concurrent: 8, buffered: 8 },
  aggregator: { concurrent: 256, buffered: 320 },
};

/** Leaves an operator time to notice that the store runs with the wrong registry. */
export const defaultQuarantineMs = 7 * 86_400_000;
