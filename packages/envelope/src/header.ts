import { concatBytes, isAllZero, plainView, readU32, readU64, requireLength, u32, utf8 } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';
import { isEnvelopeId } from './envelope-id.ts';
import { sealIdentity } from './identity.ts';
import { minPlaintextLength } from './padme.ts';
import { decodeWraps, encodeWraps, type Wrap } from './wraps.ts';

export const envelopeKind = { memory: 1, tombstone: 2, rewrap: 3, exportIndex: 4, searchSecret: 5 } as const;
export type EnvelopeKind = (typeof envelopeKind)[keyof typeof envelopeKind];

export const maxHeaderLength = 16_384;
export const maxEnvelopeLength = 1_572_864;
export const gcmTagLength = 16;

const magic = utf8('MRE1');
const fixedLength = 153;
const version = 1;
const suite = 1;
const tagKeyOrigin = 0;

export interface HeaderFields {
  kind: EnvelopeKind;
  /** The account's creating address, 32 bytes */
  origin: Uint8Array;
  /** 16 bytes, see `namespaceTag` */
  tag: Uint8Array;
  keyEpoch: bigint;
  /** 16 bytes, see `newEnvelopeId` */
  envelopeId: Uint8Array;
  recipientPk: Uint8Array;
  /** HPKE encapsulated key */
  enc: Uint8Array;
  wraps: readonly Wrap[];
  /** Length of the sealed body, its 16-byte tag included */
  bodyLength: number;
}

export interface EnvelopeHeader extends HeaderFields {
  /** Bytes 16..71: origin ‖ tag ‖ epoch */
  identity: Uint8Array;
  headerLength: number;
}

function isKind(value: number): value is EnvelopeKind {
  return value >= 1 && value <= 5;
}

/** The header's bytes. Throws `RangeError` if a field or a length violates its rule, which is a mistake of the caller. */
export function buildHeader(fields: HeaderFields): Uint8Array {
  if (!isKind(fields.kind)) throw new RangeError('unknown envelope kind');
  if (!isEnvelopeId(fields.envelopeId)) throw new RangeError('envelope_id must be a random UUID of 16 bytes');
  requireLength(fields.recipientPk, 32, 'recipient_pk');
  requireLength(fields.enc, 32, 'enc');
  const wraps = encodeWraps(fields.wraps);
  const headerLength = fixedLength + wraps.length;
  if (headerLength > maxHeaderLength) throw new RangeError('wraps too long for a header');
  if (fields.bodyLength < minPlaintextLength + gcmTagLength) throw new RangeError('body too short');
  if (headerLength + fields.bodyLength > maxEnvelopeLength) throw new RangeError('envelope above 1.5 MiB');
  return concatBytes(
    magic,
    Uint8Array.of(version, suite, fields.kind, tagKeyOrigin),
    u32(headerLength),
    u32(fields.bodyLength),
    sealIdentity(fields.origin, fields.tag, fields.keyEpoch),
    fields.envelopeId,
    fields.recipientPk,
    fields.enc,
    Uint8Array.of(fields.wraps.length),
    wraps,
  );
}

/** Reads the bytes before the wraps and checks every declared size before anything is copied. */
function checkFixedPart(bytes: Uint8Array): { kind: EnvelopeKind; headerLength: number; bodyLength: number } {
  if (bytes.length < fixedLength) throw new EnvelopeError('malformed', 'shorter than an envelope header');
  if (magic.some((byte, i) => bytes[i] !== byte)) throw new EnvelopeError('malformed', 'not an envelope');
  if (bytes[4] !== version) throw new EnvelopeError('unsupported_envelope', `version ${bytes[4]}`);
  if (bytes[5] !== suite) throw new EnvelopeError('unsupported_envelope', `suite ${bytes[5]}`);
  const kind = bytes[6]!;
  if (!isKind(kind)) throw new EnvelopeError('unsupported_envelope', `kind ${kind}`);
  if (bytes[7] !== tagKeyOrigin) throw new EnvelopeError('unsupported_envelope', `tag key ${bytes[7]}`);
  const headerLength = readU32(bytes, 8);
  const bodyLength = readU32(bytes, 12);
  if (headerLength < fixedLength + 3 || headerLength > maxHeaderLength)
    throw new EnvelopeError('malformed', 'header length out of range');
  if (bodyLength < minPlaintextLength + gcmTagLength || headerLength + bodyLength > maxEnvelopeLength)
    throw new EnvelopeError('malformed', 'body length out of range');
  return { kind, headerLength, bodyLength };
}

/**
 * Reads the header from the complete envelope or from a prefix that contains the header (the first 16 KiB always do).
 * `totalLength` is the envelope's exact size, if it is known. The fields are copies. Throws `EnvelopeError`
 * `unsupported_envelope` or `malformed`.
 */
export function parseHeader(prefix: Uint8Array, totalLength?: number): EnvelopeHeader {
  const bytes = plainView(prefix);
  const { kind, headerLength, bodyLength } = checkFixedPart(bytes);
  const total = headerLength + bodyLength;
  if (bytes.length > total || (totalLength !== undefined && totalLength !== total))
    throw new EnvelopeError(
      'malformed',
      `${totalLength ?? bytes.length} bytes where the header says ${total}`,
    );
  if (bytes.length < headerLength) throw new EnvelopeError('malformed', 'the header is cut off');

  const tag = bytes.slice(48, 64);
  if (isAllZero(tag)) throw new EnvelopeError('malformed', 'namespace tag is all zero');
  const envelopeId = bytes.slice(72, 88);
  if (!isEnvelopeId(envelopeId)) throw new EnvelopeError('malformed', 'envelope_id is not a random UUID');
  return {
    kind,
    origin: bytes.slice(16, 48),
    tag,
    keyEpoch: readU64(bytes, 64),
    envelopeId,
    recipientPk: bytes.slice(88, 120),
    enc: bytes.slice(120, 152),
    wraps: decodeWraps(bytes.subarray(fixedLength, headerLength), bytes[152]!),
    bodyLength,
    identity: bytes.slice(16, 72),
    headerLength,
  };
}

/** The `recipient_pk` of an envelope without any check, for lookups. Shorter if the envelope ends early. */
export function recipientPkBytes(envelope: Uint8Array): Uint8Array {
  return envelope.subarray(88, 120);
}

/** The key epoch of an envelope without any check; the envelope has a complete header. */
export function keyEpochOf(envelope: Uint8Array): bigint {
  return readU64(envelope, 64);
}

/** The namespace tag of an envelope without any check, for lookups. Shorter if the envelope ends early. */
export function tagBytes(envelope: Uint8Array): Uint8Array {
  return envelope.subarray(48, 64);
}
