import { checkWrap } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader, type Envelope } from '@memrelay/envelope/open-envelope';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { fromHex } from '@memrelay/protocol/bytes';
import { ApiError } from '@memrelay/protocol/errors';
import type { OpenRequestHead, OpenResponseHead } from '@memrelay/protocol/sidecar-api';
import type { SidecarContext } from '../context.ts';
import type { DecryptSession } from '../seal/decrypt-session.ts';
import type { UnwrapItem, UnwrapResult } from '../seal/seal-tasks.ts';
import type { OpenItem } from './open-tasks.ts';

type Item = OpenResponseHead['items'][number];

interface Checked {
  envelope: Envelope;
  /** Wraps of its key, of which one is enough */
  unwraps: UnwrapItem[];
}

/**
 * Opens a batch for one session with the reader's rules in their order (security.md, "Reader"). One bad envelope
 * fails alone; a session that is refused everything, unless each is to be told, or key servers that answer nothing, fail
 * the call with `decrypt_denied` or `decrypt_unavailable`.
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
  const wraps = new Map(present.flatMap(({ unwraps }) => unwraps).map((item) => [nameOf(item), item]));
  const keys = await context.unwrapper.unwrapKeys(
    session,
    { objectId: head.account.id, initialSharedVersion: head.account.initial_shared_version },
    [...wraps.values()],
  );
  refuseWhenNothingOpens(keys, head.each ?? false);
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
    const tried = entry.unwraps.map((item) => positions.get(nameOf(item))!);
    const position = tried.find((at) => keys[at]!.ok);
    if (position === undefined) return keyFailure(tried.map((at) => keys[at]!));
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

/** What passes is told first: then the others may yet be right. */
function keyFailure(keys: readonly UnwrapResult[]): Item {
  const failures = keys.filter((key) => !key.ok);
  const passing =
    failures.find(({ reason }) => reason === 'unavailable') ??
    failures.find(({ reason }) => reason === 'denied');
  if (!passing || passing.reason === 'malformed')
    return { ok: false, failure: 'integrity', reason: 'wrong_recipient' };
  return { ok: false, failure: passing.reason, reason: passing.message };
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
    const later = rewrapsOf(head, recipientPk).filter((wrap) => fits(context, identity, wrap));
    const usable =
      later.length > 0 ? later : [checkWrap({ header: { identity, wraps } }, context.expectedWraps)];
    return { envelope, unwraps: usable.map(({ bytes: wrap }) => ({ identity, recipientPk, wrap })) };
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

function fits({ expectedWraps }: SidecarContext, identity: Uint8Array, wrap: Wrap): boolean {
  try {
    checkWrap({ header: { identity, wraps: [wrap] } }, expectedWraps);
    return true;
  } catch (error) {
    if (error instanceof EnvelopeError) return false;
    throw error;
  }
}

function integrityFailure(error: unknown): Item {
  if (!(error instanceof EnvelopeError)) throw error;
  return { ok: false, failure: 'integrity', reason: error.reason };
}

function refuseWhenNothingOpens(keys: readonly UnwrapResult[], each: boolean): void {
  if (keys.length === 0 || keys.some((key) => key.ok)) return;
  const reasons = new Set(keys.map((key) => (key.ok ? '' : key.reason)));
  if (reasons.has('unavailable')) throw new ApiError('decrypt_unavailable');
  if (reasons.has('denied') && !each) throw new ApiError('decrypt_denied');
}
