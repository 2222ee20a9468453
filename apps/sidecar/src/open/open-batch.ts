import { checkWrap } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader, type Envelope } from '@memrelay/envelope/open-envelope';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { ApiError } from '@memrelay/protocol/errors';
import type { OpenRequestHead, OpenResponseHead } from '@memrelay/protocol/sidecar-api';
import { fromHex } from '@mysten/sui/utils';
import type { SidecarContext } from '../context.ts';
import type { DecryptSession } from '../seal/decrypt-session.ts';
import type { UnwrapItem, UnwrapResult } from '../seal/seal-tasks.ts';
import type { OpenItem } from './open-tasks.ts';

type Item = OpenResponseHead['items'][number];

interface Checked {
  envelope: Envelope;
  unwrap: UnwrapItem;
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
  const wraps = new Map(present.map(({ unwrap }) => [nameOf(unwrap), unwrap]));
  const keys = await context.unwrapper.unwrapKeys(
    session,
    { objectId: head.account.id, initialSharedVersion: head.account.initial_shared_version },
    [...wraps.values()],
  );
  refuseWhenNothingOpens(keys);
  return openAll(context, head, checked, [...wraps.keys()], keys);
}

/** One task for the batch: its threads open what has a key, the rest is told as it is. */
async function openAll(
  context: SidecarContext,
  head: OpenRequestHead,
  checked: readonly (Checked | Item)[],
  names: readonly string[],
  keys: readonly UnwrapResult[],
): Promise<{ items: Item[]; texts: Uint8Array[] }> {
  const positions = new Map(names.map((name, position) => [name, position]));
  const held: Uint8Array[] = [];
  const heldAt = keys.map((key) => (key.ok ? held.push(key.privateKey) - 1 : -1));
  const envelopes: OpenItem[] = [];
  const items = checked.map((entry, i): Item | undefined => {
    if (!('envelope' in entry)) return entry;
    const position = positions.get(nameOf(entry.unwrap))!;
    const key = keys[position]!;
    if (!key.ok) return keyFailure(key);
    const { envelope_id, sha256 } = head.items[i]!;
    const row =
      envelope_id && sha256
        ? { envelopeId: Buffer.from(envelope_id, 'hex'), sha256: Buffer.from(sha256, 'hex') }
        : undefined;
    envelopes.push({ bytes: entry.envelope.bytes, key: heldAt[position]!, row });
    return undefined;
  });
  const task = { keys: held, trustedSigners: head.trusted_signers, envelopes };
  const opened = envelopes.length > 0 ? await context.openPool.open(task) : [];
  for (const key of held) key.fill(0);
  const texts: Uint8Array[] = [];
  let next = 0;
  const answered = items.map((item): Item => {
    if (item) return item;
    const result = opened[next++]!;
    if (!result.ok) return { ok: false, failure: 'integrity', reason: result.reason };
    texts.push(result.text);
    return {
      ok: true,
      text_length: result.text.length,
      created_at: result.createdAt,
      ...(result.importance === undefined ? {} : { importance: result.importance }),
      ...(result.supersedes === undefined ? {} : { supersedes: result.supersedes }),
      signer: result.signer,
    };
  });
  return { items: answered, texts };
}

function keyFailure(key: Extract<UnwrapResult, { ok: false }>): Item {
  return { ok: false, failure: key.reason === 'malformed' ? 'integrity' : key.reason, reason: key.message };
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
    const origin = fromHex(head.account.origin);
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
    const { identity, recipientPk, wraps } = envelope.header;
    const candidates = { identity, wraps: [...rewrapsOf(head, recipientPk), ...wraps] };
    const { bytes: wrap } = checkWrap({ header: candidates }, context.expectedWraps);
    return { envelope, unwrap: { identity, recipientPk, wrap } };
  } catch (error) {
    return integrityFailure(error);
  }
}

/** What stands beside the envelopes for this key, for key servers that came after it was wrapped. */
function rewrapsOf(head: OpenRequestHead, recipientPk: Uint8Array): Wrap[] {
  const name = Buffer.from(recipientPk).toString('hex');
  return (head.rewraps ?? [])
    .filter(({ recipient_pk }) => recipient_pk === name)
    .map(({ wrap }) => ({ type: wrapType.seal, bytes: Buffer.from(wrap, 'base64') }));
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
