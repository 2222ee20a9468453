import type { Logger } from 'pino';
import { Pool } from 'undici';

/** Why a blob could not be read. Only `missing` says that an aggregator does not know it; it may still be wrong. */
export class BlobReadError extends Error {
  override name = 'BlobReadError';
  readonly kind: 'missing' | 'unavailable';
  constructor(kind: 'missing' | 'unavailable', options?: ErrorOptions) {
    super(kind === 'missing' ? 'no aggregator has the blob' : 'no aggregator could be read', options);
    this.kind = kind;
  }
}

export interface AggregatorOptions {
  /** The primary first */
  urls: readonly string[];
  /** Milliseconds before the next aggregator is asked as well; 0 asks all at once */
  raceAfterMs: number;
  skipConsistencyCheck: boolean;
  /** Largest blob that is read; more is refused while it streams in */
  maxBytes: number;
  /** For a whole read, however many aggregators are asked; default 15,000 */
  timeoutMs?: number;
  log: Logger;
}

export interface AggregatorReader {
  /**
   * Whole blob, by blob or quilt-patch id, from the first aggregator whose bytes `isRight` accepts: one that serves
   * something else counts as failed. Throws `BlobReadError`.
   */
  read(blobId: string, isRight: (bytes: Buffer) => boolean): Promise<Buffer>;
  /** Whether the primary answers `/status` */
  health(): Promise<{ ok: boolean; detail?: string }>;
  close(): Promise<void>;
}

/** Reads blobs from the aggregators, racing the next one against a slow one; the first good answer wins. */
export function createAggregatorReader(options: AggregatorOptions): AggregatorReader {
  const sources = options.urls.map((url) => {
    const base = new URL(url.endsWith('/') ? url : `${url}/`);
    return { base, pool: new Pool(base.origin, { connections: 32 }) };
  });

  async function readFrom(
    source: (typeof sources)[number],
    blobId: string,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const path = blobId.length === 50 ? `v1/blobs/by-quilt-patch-id/${blobId}` : `v1/blobs/${blobId}`;
    const target = new URL(path, source.base);
    if (options.skipConsistencyCheck) target.searchParams.set('skip_consistency_check', 'true');
    const response = await source.pool.request({
      method: 'GET',
      path: target.pathname + target.search,
      signal,
    });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new BlobReadError(response.statusCode === 404 ? 'missing' : 'unavailable');
    }
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of response.body) {
      size += (part as Buffer).byteLength;
      if (size > options.maxBytes) throw new BlobReadError('unavailable');
      parts.push(part as Buffer);
    }
    return Buffer.concat(parts, size);
  }

  function race(blobId: string, isRight: (bytes: Buffer) => boolean): Promise<Buffer> {
    const stop = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const failures: unknown[] = [];
    let started = 0;
    let timer: NodeJS.Timeout | undefined;
    // undici's own timeouts begin anew with every byte
    const deadline = setTimeout(() => reject(new BlobReadError('unavailable')), options.timeoutMs ?? 15_000);
    const accept = (source: (typeof sources)[number], bytes: Buffer): void => {
      if (!isRight(bytes)) {
        options.log.warn(
          { blob_id: blobId, aggregator: source.base.host },
          'an aggregator served other bytes than were stored',
        );
        throw new BlobReadError('unavailable');
      }
      resolve(bytes);
    };
    const startNext = (): void => {
      clearTimeout(timer);
      const source = sources[started++];
      if (!source) return;
      if (started < sources.length) timer = setTimeout(startNext, options.raceAfterMs);
      readFrom(source, blobId, stop.signal)
        .then((bytes) => accept(source, bytes))
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          failures.push(error);
          options.log.debug({ blob_id: blobId, aggregator: source.base.host }, 'aggregator read failed');
          if (failures.length === sources.length) reject(summary(failures));
          else if (failures.length === started) startNext();
        });
    };
    startNext();
    return promise.finally(() => {
      clearTimeout(timer);
      clearTimeout(deadline);
      stop.abort();
    });
  }

  return {
    read: race,
    async health() {
      const primary = sources[0]!;
      const response = await primary.pool.request({
        method: 'GET',
        path: new URL('status', primary.base).pathname,
        headersTimeout: 3_000,
      });
      await response.body.dump();
      return response.statusCode === 200
        ? { ok: true }
        : { ok: false, detail: `status ${response.statusCode}` };
    },
    async close() {
      await Promise.all(sources.map(({ pool }) => pool.close()));
    },
  };
}

/** Missing only when every aggregator says so: one that failed might have had it. */
function summary(failures: unknown[]): BlobReadError {
  const missing = failures.every((failure) => failure instanceof BlobReadError && failure.kind === 'missing');
  return new BlobReadError(missing ? 'missing' : 'unavailable', { cause: failures[0] });
}
