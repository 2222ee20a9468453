import { Pool } from 'undici';

/** What an aggregator answered instead of a blob. Its own words are not kept. */
export class AggregatorError extends Error {
  override name = 'AggregatorError';
  /** The HTTP status; undefined when what it sent is not the blob */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface BlobRequest {
  skipConsistencyCheck: boolean;
  /** More is refused while it streams in */
  maxBytes: number;
  signal: AbortSignal;
}

/** One aggregator's HTTP API (spec, blob store, "Aggregator"). */
export interface Aggregator {
  /** Host and port, for logs */
  readonly host: string;
  /** A whole blob, by blob or quilt-patch id. Throws `AggregatorError`, or the error of the connection. */
  get(blobId: string, request: BlobRequest): Promise<Buffer>;
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
      const path = blobId.length === 50 ? `v1/blobs/by-quilt-patch-id/${blobId}` : `v1/blobs/${blobId}`;
      const target = new URL(path, base);
      if (skipConsistencyCheck) target.searchParams.set('skip_consistency_check', 'true');
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: target.pathname + target.search,
        signal,
      });
      if (statusCode !== 200) {
        // Read away beside, so that the connection can be used again: who waits is told at once
        body.dump().catch(() => undefined);
        throw new AggregatorError(`answered ${statusCode}`, statusCode);
      }
      const parts: Buffer[] = [];
      let size = 0;
      for await (const part of body as AsyncIterable<Buffer>) {
        size += part.byteLength;
        if (size > maxBytes) throw new AggregatorError('sent more than a blob may have');
        parts.push(part);
      }
      return Buffer.concat(parts, size);
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
