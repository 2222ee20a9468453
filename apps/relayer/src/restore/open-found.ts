import { type EnvelopeHeader, maxEnvelopeLength, parseHeader } from '@memrelay/envelope/header';
import { wrapType } from '@memrelay/envelope/wraps';
import pLimit from 'p-limit';
import type { Caller } from '../auth/caller.ts';
import { readerOf } from '../auth/reader.ts';
import { BlobReadError } from '../blobs/aggregator-reads.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import { decodeColumn } from '../keys/namespace-keys.ts';
import { type Candidate, chainRewraps, type NamespacePlace } from './restore-rows.ts';

/** An envelope that was read whole and opened. */
export interface OpenedCandidate {
  candidate: Candidate;
  header: EnvelopeHeader;
  envelope: Buffer;
  text: string;
  createdAt: string;
  importance: number | undefined;
  supersedes: string[];
  /** Hex */
  signer: string;
}

export type OpenResult = OpenedCandidate | { candidate: Candidate; reason: string };

/** What opens it is tried first as it is; then with as many wraps for other key servers that the owner holds. */
const rewrapsTried = 8;
/** No other wrap changes that */
const isFinal: ReadonlySet<string> = new Set(['untrusted_signer', 'denied', 'unavailable']);
const readsAtOnce = 8;

/**
 * Reads envelopes whole, with the aggregator's consistency checks, and opens them with the caller's credential; believes
 * only these signers. One that fails fails alone. Throws `ApiError` when the credential is refused or no key server
 * answers.
 */
export async function openFound(
  context: RelayerContext,
  caller: Caller,
  namespace: string,
  place: NamespacePlace,
  trustedSigners: readonly string[],
  kind: number,
  wanted: readonly Candidate[],
): Promise<OpenResult[]> {
  const limit = pLimit(readsAtOnce);
  const read = await Promise.all(wanted.map((candidate) => limit(() => readWhole(context, kind, candidate))));
  const results: OpenResult[] = read.filter((each) => 'reason' in each);
  let left = read.filter((each) => 'envelope' in each);
  const known = await context.keyRewraps.of(place.accountId);
  let later: Map<string, Buffer[]> | undefined;
  for (let round = 0; left.length > 0 && round <= rewrapsTried; round++) {
    const rewraps = new Map<string, Buffer>(known);
    if (round > 0) {
      later ??= await chainRewraps(context.db, place);
      for (const [name, wraps] of later) {
        const wrap = wraps[round - 1] && sealWrapIn(wraps[round - 1]!);
        if (wrap) rewraps.set(name, wrap);
      }
    }
    const opened = await openOnce(context, caller, namespace, trustedSigners, left, rewraps);
    // A wrap that anybody sent may be of another key: the next one is tried, too
    const closed = opened.filter(
      (each) =>
        'reason' in each && (round === 0 ? each.reason === 'foreign_wrap' : !isFinal.has(each.reason)),
    );
    const hasMore = round < rewrapsTried && (round === 0 || [...later!.values()].some((all) => all[round]));
    const again = hasMore ? new Set(closed.map(({ candidate }) => candidate)) : new Set<Candidate>();
    results.push(...opened.filter(({ candidate }) => !again.has(candidate)));
    left = left.filter(({ candidate }) => again.has(candidate));
    if (round > 0) await keepRewraps(context, caller, place.accountId, opened, rewraps, known);
  }
  return results;
}

interface ReadCandidate {
  candidate: Candidate;
  envelope: Buffer;
  header: EnvelopeHeader;
}

async function readWhole(
  { aggregators }: Pick<RelayerContext, 'aggregators'>,
  kind: number,
  candidate: Candidate,
): Promise<ReadCandidate | { candidate: Candidate; reason: string }> {
  let header: EnvelopeHeader | undefined;
  const isRight = (bytes: Buffer): boolean => {
    header = bytes.length <= maxEnvelopeLength ? parsed(bytes) : undefined;
    return header?.kind === kind && candidate.envelopeId.equals(header.envelopeId);
  };
  try {
    const envelope = await aggregators.read(candidate.storedAs, isRight, { alwaysChecked: true });
    return { candidate, envelope, header: header! };
  } catch (error) {
    if (!(error instanceof BlobReadError)) throw error;
    return { candidate, reason: error.kind === 'missing' ? 'missing' : 'unreadable' };
  }
}

function parsed(bytes: Buffer): EnvelopeHeader | undefined {
  try {
    return parseHeader(bytes, bytes.length);
  } catch {
    return undefined;
  }
}

async function openOnce(
  context: RelayerContext,
  caller: Caller,
  namespace: string,
  trustedSigners: readonly string[],
  read: readonly ReadCandidate[],
  rewraps: ReadonlyMap<string, Buffer>,
): Promise<OpenResult[]> {
  const names = new Set(read.map(({ header }) => nameOf(header)));
  const { items, payload } = await context.sidecar.open(
    {
      ...readerOf(caller, context.serverAddress),
      trusted_signers: [...trustedSigners],
      items: read.map(({ envelope }) => ({ length: envelope.length, namespace })),
      rewraps: [...names].flatMap((name) => {
        const wrap = rewraps.get(name);
        return wrap ? [{ recipient_pk: name, wrap: wrap.toString('base64') }] : [];
      }),
    },
    read.map(({ envelope }) => envelope),
    caller.credentials,
  );
  const decoder = new TextDecoder();
  let offset = 0;
  return items.map((item, i): OpenResult => {
    const { candidate, header, envelope } = read[i]!;
    if (!item.ok) return { candidate, reason: item.failure === 'integrity' ? item.reason : item.failure };
    const text = decoder.decode(payload.subarray(offset, offset + item.text_length));
    offset += item.text_length;
    const { created_at, importance, supersedes = [], signer } = item;
    return { candidate, header, envelope, text, createdAt: created_at, importance, supersedes, signer };
  });
}

function nameOf({ recipientPk }: EnvelopeHeader): string {
  return Buffer.from(recipientPk).toString('hex');
}

function sealWrapIn(column: Buffer): Buffer | undefined {
  const wrap = decodeColumn(column).find(({ type }) => type === wrapType.seal);
  return wrap && Buffer.from(wrap.bytes);
}

/**
 * Keys that only a later wrap opened get one for every read to come. It is made anew from the key itself: a session that
 * has the key already would take any wrap for it.
 */
async function keepRewraps(
  context: RelayerContext,
  caller: Caller,
  accountId: Buffer,
  opened: readonly OpenResult[],
  rewraps: ReadonlyMap<string, Buffer>,
  known: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const headers = new Map(
    opened.flatMap((each) => ('header' in each ? [[nameOf(each.header), each.header] as const] : [])),
  );
  const keys = [...headers].flatMap(([name, { tag, keyEpoch }]) => {
    const wrap = known.has(name) ? undefined : rewraps.get(name);
    if (!wrap) return [];
    return {
      tag: Buffer.from(tag).toString('hex'),
      key_epoch: Number(keyEpoch),
      recipient_pk: name,
      wraps: [{ type: wrapType.seal, bytes: wrap.toString('base64') }],
    };
  });
  if (keys.length === 0) return;
  const reader = readerOf(caller, context.serverAddress);
  const answer = await context.sidecar.rewrapKeys({ ...reader, keys }, caller.credentials);
  if (answer.server_set !== context.keyRewraps.serverSet) return;
  for (const [i, result] of answer.keys.entries())
    if (result.ok) {
      const wrap = Buffer.from(result.wrap, 'base64');
      await context.keyRewraps.save(context.db, accountId, hexToBytes(keys[i]!.recipient_pk), wrap);
    }
  context.keyRewraps.refresh(accountId);
}
