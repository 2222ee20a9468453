import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { type EnvelopeHeader, envelopeKind, maxHeaderLength, parseHeader } from '@memrelay/envelope/header';
import { AggregatorError } from '../../blobs/aggregator.ts';
import { type AggregatorReader, BlobReadError } from '../../blobs/aggregator-reads.ts';
import { wrapsColumn } from '../../keys/namespace-keys.ts';
import type { FoundEnvelope, UnknownBlob } from '../rows/chain-scan-rows.ts';

export type BlobStarts = Pick<AggregatorReader, 'readStart' | 'readPatches'>;

const magic = 'MRE1';
/** First byte of a quilt (QuiltV1) */
const quiltVersion = 1;
const identifierForm = /^([0-9a-f]{32})\.([0-9a-f]{32})$/;

/**
 * Returns the account's envelopes in a blob, judged by its first bytes: an envelope has a header, and the index of a
 * quilt names the tag and envelope id of each patch. Other blobs contain none. Throws `BlobReadError` if the blob
 * cannot be read now.
 */
export async function findEnvelopes(
  starts: BlobStarts,
  origin: Buffer,
  { blobId, size }: Pick<UnknownBlob, 'blobId' | 'size'>,
): Promise<FoundEnvelope[]> {
  const start = await starts.readStart(blobId, Math.min(size, maxHeaderLength));
  if (start.subarray(0, 4).toString('latin1') === magic) {
    const header = headerOf(start, size);
    return header && origin.equals(header.origin) ? [envelopeOf(blobId, header)] : [];
  }
  if (start[0] !== quiltVersion) return [];
  const patches = await starts.readPatches(blobId).catch((error: unknown) => {
    if (isNoQuilt(error)) return [];
    throw error;
  });
  return patches.flatMap(({ identifier, patchId }): FoundEnvelope[] => {
    const [, tag, envelopeId] = identifierForm.exec(identifier) ?? [];
    if (tag === undefined || envelopeId === undefined) return [];
    return [{ storedAs: patchId, tag: Buffer.from(tag, 'hex'), envelopeId: Buffer.from(envelopeId, 'hex') }];
  });
}

/**
 * Returns what the header of a patch says. The quilt's index is only a claim: undefined if the patch is not the
 * envelope that it names, or belongs to another account. Throws `BlobReadError`.
 */
export async function readPatchHeader(
  starts: BlobStarts,
  origin: Buffer,
  { storedAs, tag, envelopeId }: FoundEnvelope,
): Promise<FoundEnvelope['header']> {
  const header = headerOf(await starts.readStart(storedAs, maxHeaderLength), undefined);
  const isNamed =
    header && origin.equals(header.origin) && tag.equals(header.tag) && envelopeId.equals(header.envelopeId);
  return isNamed ? envelopeOf(storedAs, header).header : undefined;
}

function headerOf(start: Buffer, size: number | undefined): EnvelopeHeader | undefined {
  try {
    return parseHeader(start, size);
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}

function envelopeOf(
  storedAs: string,
  { kind, tag, envelopeId, recipientPk, wraps }: EnvelopeHeader,
): FoundEnvelope {
  return {
    storedAs,
    tag: Buffer.from(tag),
    envelopeId: Buffer.from(envelopeId),
    header: {
      kind,
      recipientPk: Buffer.from(recipientPk),
      wraps: kind === envelopeKind.rewrap ? wrapsColumn(wraps) : undefined,
    },
  };
}

/** The blob was read a moment ago, so an aggregator that refuses its patches means that it has none. */
function isNoQuilt(error: unknown): boolean {
  if (!(error instanceof BlobReadError) || !(error.cause instanceof AggregateError)) return false;
  return error.cause.errors.every(
    (each: unknown) => each instanceof AggregatorError && each.status !== undefined && each.status < 500,
  );
}
