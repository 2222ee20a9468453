import { computeBlobId } from '@memrelay/blob-id/blob-id';
import { concatBytes, toHex } from '@memrelay/envelope/bytes';
import { maxEnvelopeLength } from '@memrelay/envelope/header';
import type { Primitives } from '@memrelay/envelope/primitives';
import { sleep, withTimeout } from '../wire/abort.ts';
import type { ManualNetwork } from './manual-network.ts';

/** A blob or a patch of a quilt, as an index names it. */
export interface BlobPlace {
  blobId: string;
  /** Digest of its bytes as the index has it, hex */
  sha256?: string | undefined;
}

/**
 * `blob_missing`: no aggregator knows it. `blob_unavailable`: none gave it. `wrong_bytes`: what they gave is another
 * blob. `unverifiable`: there is nothing to check a patch of a quilt against.
 */
export type BlobFailure = 'blob_missing' | 'blob_unavailable' | 'wrong_bytes' | 'unverifiable';
export type ReadBlob = { ok: true; bytes: Uint8Array } | { ok: false; reason: BlobFailure; message: string };

export interface BlobReader {
  /** Bytes are given only when they are proven to be the blob's. Rejects with the signal's reason alone. */
  read(place: BlobPlace, signal: AbortSignal | undefined): Promise<ReadBlob>;
}

export interface BlobReaderOptions {
  network: Pick<ManualNetwork, 'aggregatorUrls' | 'guardedFetch' | 'nShards'>;
  primitives: Primitives;
  /** Also where the index tells a digest: the id is computed from the bytes, which takes 0.1 s at 1000 shards */
  checkBlobIds: boolean;
  timeoutMs: number;
}

/** The next aggregator is asked after this, or as soon as one fails. */
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
  async function check(bytes: Uint8Array, { blobId, sha256 }: BlobPlace, host: string): Promise<void> {
    const wrong = new BlobFault('wrong_bytes', `${host} gave other bytes than those of the blob`);
    if (sha256 !== undefined && toHex(p.sha256(bytes)) !== sha256) throw wrong;
    if (blobId.length === 50 || (sha256 !== undefined && !checkBlobIds)) return;
    if (computeBlobId(bytes, { nShards: await network.nShards() }).blobId !== blobId) throw wrong;
  }

  async function readFrom(base: URL, place: BlobPlace, signal: AbortSignal): Promise<Uint8Array> {
    let bytes: Uint8Array;
    try {
      const response = await network.guardedFetch(blobUrl(base, place.blobId), { signal });
      if (response.status === 404) throw new BlobFault('blob_missing', `${base.host} does not know the blob`);
      if (response.status !== 200 || !response.body)
        throw new BlobFault('blob_unavailable', `${base.host} answered ${response.status}`);
      bytes = await readBounded(response.body, base.host);
    } catch (error) {
      if (error instanceof BlobFault) throw error;
      throw new BlobFault('blob_unavailable', `${base.host} did not give the blob`);
    }
    await check(bytes, place, base.host);
    return bytes;
  }

  /** The first proven answer; all others are ended. */
  function race(place: BlobPlace, signal: AbortSignal): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const stop = new AbortController();
    const faults: BlobFault[] = [];
    const urls = [...network.aggregatorUrls];
    const count = urls.length;
    if (count === 0) reject(new BlobFault('blob_unavailable', 'no aggregator is named'));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (): void => {
      clearTimeout(timer);
      const base = urls.shift();
      if (!base) return;
      readFrom(base, place, AbortSignal.any([signal, stop.signal])).then(resolve, (fault: BlobFault) => {
        faults.push(fault);
        if (faults.length === count) reject(worstOf(faults));
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
    async read(place, signal) {
      if (!blobIdForm.test(place.blobId)) return failed('unverifiable', 'the index names no blob id');
      if (place.blobId.length === 50 && place.sha256 === undefined)
        return failed('unverifiable', 'the index tells no digest of this patch of a quilt');
      const attempt = async (inner: AbortSignal, pauses: readonly number[]): Promise<ReadBlob> => {
        try {
          return { ok: true, bytes: await race(place, inner) };
        } catch (error) {
          if (!(error instanceof BlobFault)) throw error;
          const [pause, ...later] = pauses;
          if (pause === undefined || error.reason === 'wrong_bytes')
            return failed(error.reason, error.message);
          await sleep(pause, inner);
          return attempt(inner, later);
        }
      };
      const late = new BlobFault('blob_unavailable', `no aggregator gave the blob in ${timeoutMs} ms`);
      try {
        return await withTimeout(
          (inner) => attempt(inner, pausesMs),
          timeoutMs,
          () => late,
          signal,
        );
      } catch (error) {
        if (error === late) return failed(late.reason, late.message);
        throw error;
      }
    },
  };
}

function failed(reason: BlobFailure, message: string): ReadBlob {
  return { ok: false, reason, message };
}

/** What one says that lies tells more than that another does not know the blob. */
function worstOf(faults: readonly BlobFault[]): BlobFault {
  const of = (reason: BlobFailure) => faults.find((fault) => fault.reason === reason);
  return of('wrong_bytes') ?? of('blob_unavailable') ?? faults[0]!;
}

function blobUrl(base: URL, blobId: string): URL {
  const path = blobId.length === 50 ? `v1/blobs/by-quilt-patch-id/${blobId}` : `v1/blobs/${blobId}`;
  return new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
}

/** By a reader: not every browser lets a stream be looped over. */
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
      throw new BlobFault('wrong_bytes', `${host} sent more than a memory can be`);
    }
    parts.push(value);
  }
}
