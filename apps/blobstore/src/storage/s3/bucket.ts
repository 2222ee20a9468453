import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type ByteRange, StorageUnavailableError } from '../storage.ts';
import { nameOf, type S3Options } from './s3-options.ts';

/** Size of a part in bytes. It limits the memory of an upload and allows 80 GB in S3's 10,000 parts. */
const partBytes = 8 * 1024 * 1024;
const partsAtOnce = 2;
const removalsAtOnce = 16;
const defaultTimeoutMs = 15_000;

export interface BucketKey {
  key: string;
  /**
   * When the key was written or its upload began, by the server's clock (milliseconds since 1970, rounded to a
   * second)
   */
  modifiedAtMs: number;
}

export interface BucketContent {
  stream: Readable;
  /** Length of the stream in bytes */
  length: number;
}

/**
 * Keys below the prefix of a bucket. Relies on the strong consistency that S3 has guaranteed since 2020: reads and
 * listings reflect all earlier writes and removals. All methods throw `StorageUnavailableError` if the server does
 * not respond as expected; `undefined` means that the key certainly does not exist.
 */
export interface Bucket {
  /** All keys with a prefix, sorted, in pages, starting after the key `after`. */
  list(prefix: string, after?: string): AsyncIterable<BucketKey[]>;
  get(key: string): Promise<Buffer | undefined>;
  put(key: string, body: string | Uint8Array): Promise<void>;
  /** Uploads a local file; a large one in parts, which are removed if the upload fails. */
  upload(key: string, path: string): Promise<void>;
  read(key: string, range?: ByteRange): Promise<BucketContent | undefined>;
  remove(keys: readonly string[]): Promise<void>;
  /** Removes parts left by crashed uploads that started before a time. */
  abortUploads(prefix: string, beganBeforeMs: number): Promise<void>;
}

export function openBucket(client: S3Client, options: S3Options): Bucket {
  const { bucket: Bucket, prefix, pageSize: MaxKeys = 1000, timeoutMs = defaultTimeoutMs } = options;
  const root = prefix === undefined ? '' : `${prefix}/`;

  /** Sends a request with limited retries. Reading the body of the response later has no limit. */
  async function ask<T>(what: string, send: (limit: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    try {
      return await send({ abortSignal: limit.signal });
    } catch (error) {
      throw new StorageUnavailableError(`${nameOf(options)} did not ${what}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async function getObject(
    key: string,
    limit: { abortSignal: AbortSignal },
    Range?: string,
  ): Promise<GetObjectCommandOutput | undefined> {
    try {
      return await client.send(new GetObjectCommand({ Bucket, Key: root + key, Range }), limit);
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async function* pages(Prefix: string, after: string | undefined) {
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix: root + Prefix,
        MaxKeys,
        ContinuationToken,
        StartAfter: after === undefined ? undefined : root + after,
      });
      const page = await ask('list its keys', (limit) => client.send(command, limit));
      yield page;
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  return {
    async *list(wanted, after) {
      for await (const { Contents = [] } of pages(wanted, after)) {
        yield Contents.map(({ Key, LastModified }) => ({
          key: Key!.slice(root.length),
          modifiedAtMs: LastModified!.getTime(),
        }));
      }
    },

    get: (key) =>
      ask('give a key', async (limit) => {
        const found = await getObject(key, limit);
        return found && Buffer.from(await found.Body!.transformToByteArray());
      }),

    async put(key, body) {
      const command = new PutObjectCommand({ Bucket, Key: root + key, Body: body });
      await ask('take a key', (limit) => client.send(command, limit));
    },

    async upload(key, path) {
      const upload = new Upload({
        client,
        params: { Bucket, Key: root + key, Body: createReadStream(path, { highWaterMark: 1024 * 1024 }) },
        partSize: partBytes,
        queueSize: partsAtOnce,
      });
      try {
        await upload.done();
      } catch (error) {
        throw new StorageUnavailableError(`${nameOf(options)} did not accept a blob`, { cause: error });
      }
    },

    async read(key, range) {
      const part = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
      const found = await ask('give a key', (limit) => getObject(key, limit, part));
      if (found === undefined) return undefined;
      return { stream: found.Body as Readable, length: found.ContentLength ?? Number.NaN };
    },

    async remove(keys) {
      // Not all servers support batch deletion, and some need another checksum for it.
      const waiting = keys.values();
      const workers = Array.from({ length: Math.min(keys.length, removalsAtOnce) }, async () => {
        for (const key of waiting) {
          const command = new DeleteObjectCommand({ Bucket, Key: root + key });
          await ask('remove a key', (limit) => client.send(command, limit));
        }
      });
      await Promise.all(workers);
    },

    async abortUploads(wanted, beganBeforeMs) {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: root + wanted });
      const { Uploads = [] } = await ask('list its uploads', (limit) => client.send(command, limit));
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (Initiated === undefined || Initiated.getTime() >= beganBeforeMs) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
        await ask('abort an upload', (limit) => client.send(abort, limit));
      }
    },
  };
}
