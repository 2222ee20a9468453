import type { AuthSettings } from '../auth/publisher-auth.ts';
import type { ConcurrencyLimit } from '../http/admission.ts';
import type { RegistryOptions } from '../registry/open-registry.ts';
import type { S3Options } from '../storage/s3/s3-options.ts';
import type { Tip } from '../upload-relay/tip.ts';

export interface BlobStoreOptions extends RegistryOptions {
  /** Address to listen on, 127.0.0.1 by default */
  host?: string;
  /** Where clients reach the storage nodes; the address that is listened on by default */
  nodeUrl?: string;
  /** 0 takes a free one; 31415 is what Walrus daemons use */
  port: number;
  /** Where the blobs are, when they are not in the data directory */
  s3?: S3Options;
  limits?: Partial<Limits>;
  /** Destroys the objects of stores that name no receiver; the publisher keeps them by default */
  burnAfterStore?: boolean;
  /** Removes the data of deleted blobs at once, not at the end of the epoch */
  deletesDataAtOnce?: boolean;
  /** How long content stays that the registry does not know, in milliseconds; seven days by default */
  quarantineMs?: number;
  /** Enables the routes below `/admin` for callers that send it */
  adminToken?: string;
  /** Pages that may do more than read; any by default */
  allowedOrigins?: readonly string[];
  /** Attributes that reads answer as headers, in lower case; the specification's six by default */
  allowedHeaders?: ReadonlySet<string>;
  /** Answers all tags of a quilt patch as headers, not only the allowed ones */
  allowsAllTagHeaders?: boolean;
  /** YAML list of the blobs that are neither served nor stored */
  blocklistFile?: string;
  /** The tokens that a store needs; anyone may store when absent */
  auth?: AuthSettings;
  /** What the upload relay takes, with a chain; uploads are free without it */
  tip?: Tip;
  /** Worker threads that compute blob ids; as many as there are processors by default */
  encoderThreads?: number;
}

export interface Limits {
  /** Largest accepted body of a store, in bytes */
  maxBodyBytes: number;
  /** The same for the form that a quilt is made of */
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

/** What the real daemons allow by default (release 1.56). */
export const defaultLimits: Limits = {
  maxBodyBytes: 10_240 * 1024,
  maxQuiltBodyBytes: 102_400 * 1024,
  maxBlobBytes: Number.POSITIVE_INFINITY,
  maxStoreBytes: Number.POSITIVE_INFINITY,
  stalledSendMs: 60_000,
  publisher: { concurrent: 8, buffered: 8 },
  aggregator: { concurrent: 256, buffered: 320 },
};

/** Time for an operator to notice that the registry is the wrong one. */
export const defaultQuarantineMs = 7 * 86_400_000;
