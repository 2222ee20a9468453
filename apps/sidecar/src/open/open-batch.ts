import { checkWrap, type WrapExpectation } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader, type Envelope, type HeaderExpectation } from '@memrelay/envelope/open-envelope';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { fromHex } from '@memrelay/protocol/bytes';
import { ApiError } from '@memrelay/protocol/errors';
import type { OpenRequestHead, OpenResponseHead } from '@memrelay/protocol/sidecar-api';
import { splitPayload } from '../base/split-payload.ts';
import type { DecryptSession } from '../seal/decrypt-session.ts';
import { accountRef, epochTooEarly, type OpenKeysParts } from '../seal/open-keys.ts';
import type { UnwrapItem, UnwrapResult } from '../seal/seal-tasks.ts';
import type { OpenPool } from './open-pool.ts';
import type { OpenItem } from './open-tasks.ts';

type Item = OpenResponseHead['items'][number];

export interface OpenBatchParts extends OpenKeysParts {
  openPool: Pick<OpenPool, 'open'>;
}

interface CheckedEnvelope {
  envelope: Envelope;
  /** Wraps of its key; opening one of them is enough */
  unwraps: UnwrapItem[];
}

/**
 * Opens a batch for one session, applying the reader's rules in their order (security.md, "Reader"). A bad envelope fails
 * without affecting the others. The call fails with `decrypt_denied` when the session is refused everything (unless
 * `head.each` asks for a result per item), and with `decrypt_unavailable` when no key server responds.
 */
export async function openBatch(
  parts: OpenBatchParts,
  session: DecryptSession,
  head: OpenRequestHead,
  payload: Uint8Array,
): Promise<{ items: Item[]; texts: Uint8Array[] }> {
  const lengths = head.items.map(({ length }) => length);
  const origin = fromHex(head.account.origin);
  const namespaces = new Set(head.items.map(({ namespace }) => namespace));
  const tags = new Map(
    [...namespaces].map((namespace) => [namespace, namespaceTag(nodePrimitives, origin, namespace)]),
  );
  const checked = splitPayload(payload, lengths).map((bytes, i) =>
    check(parts.expectedWraps, head, bytes, { origin, tag: tags.get(head.items[i]!.namespace)! }),
  );
  const usable = checked.filter((entry): entry is CheckedEnvelope => 'envelope' in entry);
  const wraps = new Map(usable.flatMap(({ unwraps }) => unwraps).map((item) => [wrapName(item), item]));
  const keys = await parts.unwrapper.unwrapKeys(session, accountRef(head.account), [...wraps.values()]);
  refuseWhenNothingOpens(keys, head.each ?? false);
  return openAll(parts.openPool, head, checked, [...wraps.keys()], keys);
}

/** Opens the envelopes whose key was unwrapped, in one task; the other items keep the failure they already have. */
async function openAll(
  openPool: OpenBatchParts['openPool'],
  head: OpenRequestHead,
  checked: readonly (CheckedEnvelope | Item)[],
  names: readonly string[],
  keys: readonly UnwrapResult[],
): Promise<{ items: Item[]; texts: Uint8Array[] }> {
  const positions = new Map(names.map((name, position) => [name, position]));
  const privateKeys: Uint8Array[] = [];
  const privateKeyAt = keys.map((key) => (key.ok ? privateKeys.push(key.privateKey) - 1 : -1));
  const envelopes: OpenItem[] = [];
  const items = checked.map((entry, i): Item | undefined => {
    if (!('envelope' in entry)) return entry;
    const tried = entry.unwraps.map((item) => positions.get(wrapName(item))!);
    const position = tried.find((at) => keys[at]!.ok);
    if (position === undefined) return keyFailure(tried.map((at) => keys[at]!));
    const { envelope_id, sha256 } = head.items[i]!;
    const row =
      envelope_id && sha256
        ? { envelopeId: Buffer.from(envelope_id, 'hex'), sha256: Buffer.from(sha256, 'hex') }
        : undefined;
    envelopes.push({ envelope: entry.envelope, key: privateKeyAt[position]!, row });
    return undefined;
  });
  const task = { keys: privateKeys, trustedSigners: head.trusted_signers, envelopes };
  const opened = envelopes.length > 0 ? await openPool.open(task) : [];
  for (const key of privateKeys) key.fill(0);
  const texts: Uint8Array[] = [];
  let next = 0;
  const results = items.map((item): Item => {
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
      ...(result.context === undefined ? {} : { context: result.context }),
      signer: result.signer,
    };
  });
  return { items: results, texts };
}

/** Reports temporary failures first: a retry may still succeed, whereas an integrity failure is final. */
function keyFailure(keys: readonly UnwrapResult[]): Item {
  const failures = keys.filter((key) => !key.ok);
  const temporary =
    failures.find(({ reason }) => reason === 'unavailable') ??
    failures.find(({ reason }) => reason === 'denied');
  if (!temporary || temporary.reason === 'malformed')
    return { ok: false, failure: 'integrity', reason: 'wrong_recipient' };
  return { ok: false, failure: temporary.reason, reason: temporary.message };
}

/** Identifies a wrap. Wraps with the same name open to the same key. */
function wrapName({ identity, recipientPk, wrap }: UnwrapItem): string {
  return [identity, recipientPk, wrap]
    .map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
    .join('');
}

function check(
  expectedWraps: WrapExpectation,
  head: OpenRequestHead,
  bytes: Buffer,
  { origin, tag }: Pick<HeaderExpectation, 'origin' | 'tag'>,
): CheckedEnvelope | Item {
  try {
    const envelope = checkHeader(bytes, { origin, tag, maxEpoch: BigInt(head.account.key_epoch) });
    if (Number(envelope.header.keyEpoch) < head.signer.min_epoch)
      return { ok: false, failure: 'denied', reason: epochTooEarly };
    const { identity, recipientPk, wraps } = envelope.header;
    const rewraps = rewrapsOf(head, recipientPk).filter((wrap) => isExpected(expectedWraps, identity, wrap));
    const usable = rewraps.length > 0 ? rewraps : [checkWrap({ header: { identity, wraps } }, expectedWraps)];
    return { envelope, unwraps: usable.map(({ bytes: wrap }) => ({ identity, recipientPk, wrap })) };
  } catch (error) {
    return integrityFailure(error);
  }
}

/** The wraps in the request for this key, made for key servers that were configured after its envelope was written. */
function rewrapsOf(head: OpenRequestHead, recipientPk: Uint8Array): Wrap[] {
  const recipient = Buffer.from(recipientPk).toString('hex');
  return (head.rewraps ?? [])
    .filter(({ recipient_pk }) => recipient_pk === recipient)
    .map(({ wrap }) => ({ type: wrapType.seal, bytes: Buffer.from(wrap, 'base64') }));
}

function isExpected(expectedWraps: WrapExpectation, identity: Uint8Array, wrap: Wrap): boolean {
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
