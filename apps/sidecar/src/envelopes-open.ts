import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { checkWrap } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader, checkIndexRow, type Envelope, openBody } from '@memrelay/envelope/open-envelope';
import { ApiError } from '@memrelay/protocol/errors';
import type { OpenRequestHead, OpenResponseHead } from '@memrelay/protocol/sidecar-api';
import type { SidecarContext } from './context.ts';
import type { DecryptSession } from './seal/decrypt-session.ts';
import type { UnwrapItem, UnwrapResult } from './seal/seal-tasks.ts';

type Item = OpenResponseHead['items'][number];

/** Bytes opened in one go before other requests get their turn. */
const yieldEveryBytes = 1024 * 1024;

interface Checked {
  envelope: Envelope;
  unwrap: UnwrapItem;
}

function bytesOf(address: string): Buffer {
  return Buffer.from(address.replace(/^0x/, ''), 'hex');
}

/**
 * Opens a batch for one session with the reader's rules in their order (security.md, "Reader"). One bad envelope
 * fails alone; a session that is refused everything, or key servers that answer nothing, fail the call with
 * `decrypt_denied` or `decrypt_unavailable`.
 */
export async function openBatch(
  context: SidecarContext,
  session: DecryptSession,
  head: OpenRequestHead,
  payload: Buffer,
): Promise<{ items: Item[]; texts: Uint8Array[] }> {
  const checked = splitPayload(head, payload).map((bytes, i) =>
    check(context, head, bytes, head.items[i]!.namespace),
  );
  const present = checked.filter((entry): entry is Checked => 'envelope' in entry);
  // One array a wrap: making a key object costs more than opening with it, and is done once for each array
  const wraps = new Map(present.map(({ unwrap }) => [nameOf(unwrap), unwrap]));
  const keys = await context.unwrapper.unwrapKeys(
    session,
    { objectId: head.account.id, initialSharedVersion: head.account.initial_shared_version },
    [...wraps.values()],
  );
  refuseWhenNothingOpens(keys);
  const keyOf = new Map([...wraps.keys()].map((name, i) => [name, keys[i]!]));
  const trusted = new Set(head.trusted_signers);
  const items: Item[] = [];
  const texts: Uint8Array[] = [];
  let sinceYield = 0;
  for (const [i, entry] of checked.entries()) {
    if (!('envelope' in entry)) {
      items.push(entry);
      continue;
    }
    const opened = open(entry, keyOf.get(nameOf(entry.unwrap))!, trusted, head.items[i]!);
    items.push(opened.item);
    if (opened.text) texts.push(opened.text);
    sinceYield += entry.envelope.bytes.length;
    if (sinceYield > yieldEveryBytes) {
      sinceYield = 0;
      await yieldToEvents();
    }
  }
  for (const key of keys) if (key.ok) key.privateKey.fill(0);
  return { items, texts };
}

/** Different for any two wraps that may open differently. */
function nameOf({ identity, recipientPk, wrap }: UnwrapItem): string {
  return [identity, recipientPk, wrap]
    .map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
    .join('');
}

function splitPayload(head: OpenRequestHead, payload: Buffer): Buffer[] {
  let offset = 0;
  const parts = head.items.map(({ length }) => {
    offset += length;
    return payload.subarray(offset - length, offset);
  });
  if (offset !== payload.length)
    throw new ApiError('invalid_request', { message: 'the lengths do not add up' });
  return parts;
}

function check(
  context: SidecarContext,
  head: OpenRequestHead,
  bytes: Buffer,
  namespace: string,
): Checked | Item {
  try {
    const origin = bytesOf(head.account.origin);
    const envelope = checkHeader(bytes, {
      origin,
      tag: namespaceTag(nodePrimitives, origin, namespace),
      maxEpoch: BigInt(head.account.key_epoch),
    });
    if (Number(envelope.header.keyEpoch) < head.signer.min_epoch)
      return {
        ok: false,
        failure: 'denied',
        reason: 'the epoch is before the first that the signer may read',
      };
    const { bytes: wrap } = checkWrap(envelope, {
      packageId: bytesOf(context.config.packageId),
      serverSets: context.sets.all.map((set) => ({
        servers: set.servers.map((server) => ({ objectId: bytesOf(server.objectId), weight: server.weight })),
        threshold: set.threshold,
      })),
    });
    return {
      envelope,
      unwrap: { identity: envelope.header.identity, recipientPk: envelope.header.recipientPk, wrap },
    };
  } catch (error) {
    return integrityFailure(error);
  }
}

function open(
  { envelope }: Checked,
  key: UnwrapResult,
  trusted: ReadonlySet<string>,
  row: OpenRequestHead['items'][number],
): { item: Item; text?: Uint8Array } {
  if (!key.ok) {
    const failure = key.reason === 'malformed' ? 'integrity' : key.reason;
    return { item: { ok: false, failure, reason: key.message } };
  }
  try {
    const opened = openBody(nodePrimitives, envelope, key.privateKey, trusted);
    if (row.envelope_id && row.sha256)
      checkIndexRow(nodePrimitives, envelope, {
        envelopeId: Buffer.from(row.envelope_id, 'hex'),
        sha256: Buffer.from(row.sha256, 'hex'),
      });
    const text = Buffer.from(opened.text, 'utf8');
    const { importance } = opened.meta;
    return {
      item: {
        ok: true,
        text_length: text.length,
        created_at: opened.meta.created_at,
        ...(importance === undefined ? {} : { importance }),
        signer: Buffer.from(opened.signer).toString('hex'),
      },
      text,
    };
  } catch (error) {
    return { item: integrityFailure(error) };
  }
}

function integrityFailure(error: unknown): Item {
  if (!(error instanceof EnvelopeError)) throw error;
  return { ok: false, failure: 'integrity', reason: error.reason };
}

function refuseWhenNothingOpens(keys: readonly UnwrapResult[]): void {
  if (keys.length === 0 || keys.some((key) => key.ok)) return;
  const reasons = new Set(keys.map((key) => (key.ok ? '' : key.reason)));
  if (reasons.has('unavailable')) throw new ApiError('decrypt_unavailable');
  if (reasons.has('denied')) throw new ApiError('decrypt_denied');
}
