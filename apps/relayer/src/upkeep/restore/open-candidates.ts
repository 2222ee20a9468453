import { type EnvelopeHeader, maxEnvelopeLength, parseHeader } from '@memrelay/envelope/header';
import { parseSealObject } from '@memrelay/envelope/seal-object';
import { wrapType } from '@memrelay/envelope/wraps';
import pLimit from 'p-limit';
import type { Caller } from '../../accounts/caller.ts';
import { readerOf } from '../../accounts/reader.ts';
import type { Db } from '../../base/db/db.ts';
import { type AggregatorReader, BlobReadError } from '../../blobs/aggregator-reads.ts';
import type { AccountNamespace } from '../../jobs/rows/forgotten-objects.ts';
import type { KeyRewraps } from '../../keys/key-rewraps.ts';
import { decodeColumn } from '../../keys/namespace-keys.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import {
  type Candidate,
  type ChainRewrap,
  chainRewraps,
  type OpenedCandidate,
  saveWrongRewraps,
} from '../rows/restore-rows.ts';

export type OpenResult = OpenedCandidate | { candidate: Candidate; reason: string };

/**
 * Wraps of one key that are tried in one call. A call with no right wrap takes the sidecar about 30 ms, and anyone may
 * have sent any number of wraps.
 */
const rewrapsAtOnce = 24;
const readsAtOnce = 8;

export interface OpenCandidateParts {
  db: Db;
  aggregators: Pick<AggregatorReader, 'read'>;
  keyRewraps: KeyRewraps;
  /** Address of the server key, when there is one */
  serverAddress: string | undefined;
  sidecar: Pick<SidecarClient, 'open' | 'rewrapKeys'>;
}

/**
 * Reads envelopes whole, with the aggregator's consistency checks, and opens them with the caller's credential,
 * trusting only these signers. A failure of one does not affect the others. Envelopes for earlier key servers are tried
 * with the later wraps that the owner holds until `deadline` (`performance.now`); the rest is in no result, and the
 * next call continues with the wraps that were not tried. Throws `ApiError` if the credential is refused or no key
 * server responds.
 */
export async function openCandidates(
  parts: OpenCandidateParts,
  caller: Caller,
  ns: AccountNamespace,
  trustedSigners: readonly string[],
  kind: number,
  wanted: readonly Candidate[],
  deadline: number,
): Promise<OpenResult[]> {
  const limit = pLimit(readsAtOnce);
  const read = await Promise.all(
    wanted.map((candidate) => limit(() => readWhole(parts, caller, kind, candidate))),
  );
  const readable = read.filter((each) => 'envelope' in each);
  const known = await parts.keyRewraps.of(ns.accountId);
  const open = (some: readonly ReadCandidate[], rewraps: readonly Rewrap[]) =>
    openOnce(parts, caller, ns.namespace, trustedSigners, some, rewraps);
  const ofKnown = [...known].map(([recipientPk, wrap]) => ({ recipientPk, wrap }));
  const first = readable.length > 0 ? await open(readable, ofKnown) : [];
  const results: OpenResult[] = read.filter((each) => 'reason' in each);
  results.push(...first.filter((each) => !isForeign(each)));
  const foreign = new Set(first.filter(isForeign).map(({ candidate }) => candidate));
  const closed = readable.filter(({ candidate }) => foreign.has(candidate));
  const rewraps =
    closed.length > 0 ? await chainRewraps(parts.db, ns, parts.keyRewraps.serverSet) : new Map();
  // Anyone can create an envelope with this key's name but another epoch. A wrap that fails for such an envelope may
  // still work for the others.
  for (const some of Map.groupBy(closed, ({ header }) => `${nameOf(header)}${header.keyEpoch}`).values())
    results.push(...(await openByRewrap(some, fitting(some[0]!.header, rewraps))));
  return results;

  /** Opens envelopes of one key with the first wrap that belongs to it. */
  async function openByRewrap(
    some: readonly ReadCandidate[],
    wraps: readonly FittingRewrap[],
  ): Promise<OpenResult[]> {
    const [probe] = some;
    for (let i = 0; i < wraps.length; i += rewrapsAtOnce) {
      if (performance.now() > deadline) return [];
      const tried = wraps.slice(i, i + rewrapsAtOnce);
      const [answer] = await open([probe!], tried);
      if (isForeign(answer!)) continue;
      if ('reason' in answer! && answer.reason === 'wrong_recipient') {
        const storedAs = tried.map((each) => each.storedAs);
        await saveWrongRewraps(parts.db, ns.accountId, storedAs, parts.keyRewraps.serverSet);
        continue;
      }
      const opened = await open(some, tried);
      if (opened.some((each) => 'envelope' in each))
        await keepRewrap(parts, caller, ns.accountId, probe!.header, tried);
      return opened;
    }
    return some.map(({ candidate }) => ({ candidate, reason: 'foreign_wrap' }));
  }
}

/** Its wraps are for key servers that are not configured. */
function isForeign(result: OpenResult): boolean {
  return 'reason' in result && result.reason === 'foreign_wrap';
}

/** A wrap for later key servers than those of the envelope. */
interface Rewrap {
  /** Hex */
  recipientPk: string;
  wrap: Buffer;
}

interface FittingRewrap extends Rewrap {
  storedAs: string;
}

/** The wraps that name the key of this header and are for its identity. */
function fitting(header: EnvelopeHeader, found: ReadonlyMap<string, ChainRewrap[]>): FittingRewrap[] {
  const recipientPk = nameOf(header);
  return (found.get(recipientPk) ?? []).flatMap(({ storedAs, wraps }) => {
    const wrap = decodeColumn(wraps).find(({ type }) => type === wrapType.seal);
    if (!wrap || !isFor(wrap.bytes, header.identity)) return [];
    return { storedAs, recipientPk, wrap: Buffer.from(wrap.bytes) };
  });
}

function isFor(wrap: Uint8Array, identity: Uint8Array): boolean {
  try {
    return Buffer.compare(parseSealObject(wrap).id, identity) === 0;
  } catch {
    return false;
  }
}

interface ReadCandidate {
  candidate: Candidate;
  envelope: Buffer;
  header: EnvelopeHeader;
}

async function readWhole(
  { aggregators }: OpenCandidateParts,
  { account: { accountId } }: Caller,
  kind: number,
  candidate: Candidate,
): Promise<ReadCandidate | { candidate: Candidate; reason: string }> {
  let header: EnvelopeHeader | undefined;
  const isRight = (bytes: Buffer): boolean => {
    header = bytes.length <= maxEnvelopeLength ? parsed(bytes) : undefined;
    return header?.kind === kind && candidate.envelopeId.equals(header.envelopeId);
  };
  try {
    const envelope = await aggregators.read(candidate.storedAs, isRight, { alwaysChecked: true, accountId });
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
  parts: OpenCandidateParts,
  caller: Caller,
  namespace: string,
  trustedSigners: readonly string[],
  read: readonly ReadCandidate[],
  rewraps: readonly Rewrap[],
): Promise<OpenResult[]> {
  const names = new Set(read.map(({ header }) => nameOf(header)));
  const { items, payload } = await parts.sidecar.open(
    {
      ...readerOf(caller, parts.serverAddress),
      trusted_signers: [...trustedSigners],
      items: read.map(({ envelope }) => ({ length: envelope.length, namespace })),
      rewraps: rewraps
        .filter(({ recipientPk }) => names.has(recipientPk))
        .map(({ recipientPk, wrap }) => ({ recipient_pk: recipientPk, wrap: wrap.toString('base64') })),
      each: true,
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
    const { created_at, importance, supersedes = [], context, signer } = item;
    return {
      candidate,
      header,
      envelope,
      text,
      createdAt: created_at,
      importance,
      supersedes,
      context,
      signer,
    };
  });
}

function nameOf({ recipientPk }: EnvelopeHeader): string {
  return Buffer.from(recipientPk).toString('hex');
}

/**
 * Keeps a wrap for later reads of a key that only a later wrap opened. It is made from the key itself: the session now
 * holds the key and would accept any wrap for it, so the wraps that were tried need not belong to it.
 */
async function keepRewrap(
  parts: OpenCandidateParts,
  caller: Caller,
  accountId: Buffer,
  header: EnvelopeHeader,
  wraps: readonly Rewrap[],
): Promise<void> {
  const { keyRewraps, sidecar } = parts;
  const key = {
    tag: Buffer.from(header.tag).toString('hex'),
    key_epoch: Number(header.keyEpoch),
    recipient_pk: nameOf(header),
  };
  const reader = readerOf(caller, parts.serverAddress);
  for (const { wrap } of wraps) {
    const wrapped = { ...key, wraps: [{ type: wrapType.seal, bytes: wrap.toString('base64') }] };
    const { server_set, keys } = await sidecar.rewrapKeys({ ...reader, keys: [wrapped] }, caller.credentials);
    if (server_set !== keyRewraps.serverSet) return;
    const [made] = keys;
    if (!made?.ok) continue;
    const bytes = Buffer.from(made.wrap, 'base64');
    await keyRewraps.save(parts.db, accountId, Buffer.from(header.recipientPk), bytes);
    keyRewraps.refresh(accountId);
    return;
  }
}
