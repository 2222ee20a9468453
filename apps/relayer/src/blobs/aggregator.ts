import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';

/** An aggregator's response that is not the blob. Does not contain the response text. */
export class AggregatorError extends Error {
  override name = 'AggregatorError';
  /** The HTTP status; undefined when it sent other bytes with status 200 */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface BlobRequest {
  skipConsistencyCheck: boolean;
  /** A larger blob is rejected while it streams in */
  maxBytes: number;
  signal: AbortSignal;
}

export interface QuiltPatch {
  identifier: string;
  /** 50 characters */
  patchId: string;
}

const maxIndexBytes = 4 * 1024 * 1024;

/** One aggregator's HTTP API (spec, blob store, "Aggregator"). */
export interface Aggregator {
  /** Host and port, for logs */
  readonly host: string;
  /** Reads a whole blob, by blob or quilt-patch id. Throws `AggregatorError`, or the connection's error. */
  get(blobId: string, request: BlobRequest): Promise<Buffer>;
  /**
   * Reads at most the first `length` bytes of a blob or patch. If the aggregator ignores ranges and sends everything,
   * the rest is not read. Throws like `get`.
   */
  start(blobId: string, length: number, signal: AbortSignal): Promise<Buffer>;
  /** Lists the patches in a quilt's index. Throws like `get`, also when the blob is not a quilt. */
  patches(quiltId: string, signal: AbortSignal): Promise<QuiltPatch[]>;
  /** Whether it answers `/status` */
  health(): Promise<{ ok: boolean; detail?: string }>;
  close(): Promise<void>;
}

export function createAggregator(url: string): Aggregator {
  const base = new URL(url.endsWith('/') ? url : `${url}/`);
  const pool = new Pool(base.origin, { connections: 32 });
  return {
    host: base.host,
    async get(blobId, { skipConsistencyCheck, maxBytes, signal }) {
      const target = new URL(pathOf(blobId), base);
      if (skipConsistencyCheck) target.searchParams.set('skip_consistency_check', 'true');
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: target.pathname + target.search,
        signal,
      });
      return readAll(statusCode, body, maxBytes);
    },
    async start(blobId, length, signal) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: new URL(pathOf(blobId), base).pathname,
        headers: { range: `bytes=0-${length - 1}` },
        signal,
      });
      if (statusCode !== 200 && statusCode !== 206) throw refusal(statusCode, body);
      const parts: Buffer[] = [];
      let size = 0;
      // Leaving the loop early closes the connection, so the rest from an aggregator that ignores ranges is not read
      for await (const part of body as AsyncIterable<Buffer>) {
        parts.push(part);
        size += part.byteLength;
        if (size >= length) break;
      }
      return Buffer.concat(parts, size).subarray(0, length);
    },
    async patches(quiltId, signal) {
      const path = new URL(`v1/quilts/${quiltId}/patches`, base).pathname;
      const { statusCode, body } = await pool.request({ method: 'GET', path, signal });
      return parsePatches((await readAll(statusCode, body, maxIndexBytes)).toString());
    },
    async health() {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: new URL('status', base).pathname,
        headersTimeout: 3_000,
      });
      await body.dump();
      return statusCode === 200 ? { ok: true } : { ok: false, detail: `status ${statusCode}` };
    },
    close: () => pool.close(),
  };
}

type Body = Dispatcher.ResponseData['body'];

function refusal(statusCode: number, body: Body): AggregatorError {
  // Drained in the background, so that the connection can be reused; the caller gets its error at once
  body.dump().catch(() => undefined);
  return new AggregatorError(`answered ${statusCode}`, statusCode);
}

async function readAll(statusCode: number, body: Body, maxBytes: number): Promise<Buffer> {
  if (statusCode !== 200) throw refusal(statusCode, body);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.byteLength;
    if (size > maxBytes) throw new AggregatorError('sent more bytes than allowed');
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

function pathOf(blobId: string): string {
  return blobId.length === 50 ? `v1/blobs/by-quilt-patch-id/${blobId}` : `v1/blobs/${blobId}`;
}

const patchList = z.array(
  z.object({ identifier: z.string(), patch_id: z.string().regex(/^[A-Za-z0-9_-]{50}$/) }),
);

function parsePatches(json: string): QuiltPatch[] {
  try {
    return patchList.parse(JSON.parse(json)).map(({ identifier, patch_id }) => ({
      identifier,
      patchId: patch_id,
    }));
  } catch {
    throw new AggregatorError('did not send a list of patches');
  }
}
