import { computeBlobId } from '@memrelay/blob-id/blob-id';
import { concatBytes } from '@memrelay/envelope/bytes';
import { maxEnvelopeLength } from '@memrelay/envelope/header';
import type { Primitives } from '@memrelay/envelope/primitives';
import { toHex } from '@memrelay/protocol/bytes';
import { sleep, withTimeout } from '../wire/abort.ts';
import type { ManualNetwork } from './manual-network.ts';

/** A blob or a patch of a quilt, as listed in an index. */
export interface IndexedBlob {
  blobId: string;
  /** Digest of its bytes from the index, hex */
  sha256?: string | undefined;
}

/**
 * `blob_missing`: no aggregator has it. `blob_unavailable`: none returned it. `wrong_bytes`: they returned a different blob.
 * `unverifiable`: there is nothing to verify a patch of a quilt against.
 */
export type BlobFailure = 'blob_missing' | 'blob_unavailable' | 'wrong_bytes' | 'unverifiable';
export type ReadBlob = { ok: true; bytes: Uint8Array } | { ok: false; reason: BlobFailure; message: string };

export interface BlobReader {
  /** Returns bytes only if they are verified to be the blob's. Rejects only with the signal's reason. */
  read(blob: IndexedBlob, signal: AbortSignal | undefined): Promise<ReadBlob>;
}

export interface BlobReaderOptions {
  network: Pick<ManualNetwork, 'aggregatorUrls' | 'guardedFetch' | 'nShards'>;
  primitives: Primitives;
  /** Compute the id from the bytes even if the index has a digest; takes 0.1 s with 1000 shards */
  checkBlobIds: boolean;
  timeoutMs: number;
}

/** Try the next aggregator after this time, or as soon as one fails. */
const raceAfterMs = 150;
/** A blob that was just stored may be unknown to an aggregator, or to a cache in front of it. */
const pausesMs = [300, 900];

const blobIdForm = /^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9_-]{50})$/;

class BlobFault extends Error {
  readonly reason: BlobFailure;
  constructor(reason: BlobFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function createBlobReader({
  network,
  primitives: p,
  checkBlobIds,
  timeoutMs,
}: BlobReaderOptions): BlobReader {
  async function check(bytes: Uint8Array, { blobId, sha256 }: IndexedBlob, host: string): Promise<void> {
    const wrong = new BlobFault('wrong_bytes', `${host} returned bytes that are not the blob`);
    if (sha256 !== undefined && toHex(p.sha256(bytes)) !== sha256) throw wrong;
    if (blobId.length === 50 || (sha256 !== undefined && !checkBlobIds)) return;
    if (computeBlobId(bytes, { nShards: await network.nShards() }).blobId !== blobId) throw wrong;
  }

  async function readFrom(base: URL, blob: IndexedBlob, signal: AbortSignal): Promise<Uint8Array> {
    let bytes: Uint8Array;
    try {
      const response = await network.guardedFetch(blobUrl(base, blob.blobId), { signal });
      if (response.status === 404) throw new BlobFault('blob_missing', `${base.host} does not have the blob`);
      if (response.status !== 200 || !response.body)
        throw new BlobFault('blob_unavailable', `${base.host} returned status ${response.status}`);
      bytes = await readBounded(response.body, base.host);
    } catch (error) {
      if (error instanceof BlobFault) throw error;
      throw new BlobFault('blob_unavailable', `${base.host} did not return the blob`);
    }
    await check(bytes, blob, base.host);
    return bytes;
  }

  /** The first verified response; all other requests are aborted. */
  function race(blob: IndexedBlob, signal: AbortSignal): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const stop = new AbortController();
    const faults: BlobFault[] = [];
    const urls = [...network.aggregatorUrls];
    const count = urls.length;
    if (count === 0) reject(new BlobFault('blob_unavailable', 'no aggregator is configured'));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (): void => {
      clearTimeout(timer);
      const base = urls.shift();
      if (!base) return;
      readFrom(base, blob, AbortSignal.any([signal, stop.signal])).then(resolve, (fault: BlobFault) => {
        faults.push(fault);
        if (faults.length === count) reject(mostInformative(faults));
        else next();
      });
      timer = setTimeout(next, raceAfterMs);
    };
    next();
    return promise.finally(() => {
      clearTimeout(timer);
      stop.abort();
    });
  }

  return {
    async read(blob, signal) {
      if (!blobIdForm.test(blob.blobId))
        return failed('unverifiable', 'the relayer returned no valid blob id');
      if (blob.blobId.length === 50 && blob.sha256 === undefined)
        return failed('unverifiable', 'the relayer returned no digest of this quilt patch');
      const attempt = async (inner: AbortSignal, pauses: readonly number[]): Promise<ReadBlob> => {
        try {
          return { ok: true, bytes: await race(blob, inner) };
        } catch (error) {
          if (!(error instanceof BlobFault)) throw error;
          const [pause, ...later] = pauses;
          if (pause === undefined || error.reason === 'wrong_bytes')
            return failed(error.reason, error.message);
          await sleep(pause, inner);
          return attempt(inner, later);
        }
      };
      const timedOut = new BlobFault(
        'blob_unavailable',
        `no aggregator returned the blob within ${timeoutMs} ms`,
      );
      try {
        return await withTimeout(
          (inner) => attempt(inner, pausesMs),
          timeoutMs,
          () => timedOut,
          signal,
        );
      } catch (error) {
        if (error === timedOut) return failed(timedOut.reason, timedOut.message);
        throw error;
      }
    },
  };
}

function failed(reason: BlobFailure, message: string): ReadBlob {
  return { ok: false, reason, message };
}

/** Reports the most informative failure: wrong bytes say more than a missing blob. */
function mostInformative(faults: readonly BlobFault[]): BlobFault {
  const of = (reason: BlobFailure) => faults.find((fault) => fault.reason === reason);
  return of('wrong_bytes') ?? of('blob_unavailable') ?? faults[0]!;
}

function blobUrl(base: URL, blobId: string): URL {
  const path = blobId.length === 50 ? `v1/blobs/by-quilt-patch-id/${blobId}` : `v1/blobs/${blobId}`;
  return new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
}

/** Uses a reader: not every browser can iterate a stream. */
async function readBounded(body: ReadableStream<Uint8Array>, host: string): Promise<Uint8Array> {
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(...parts);
    size += value.length;
    if (size > maxEnvelopeLength) {
      await reader.cancel();
      throw new BlobFault('wrong_bytes', `${host} sent more than the maximum size of a memory`);
    }
    parts.push(value);
  }
}
