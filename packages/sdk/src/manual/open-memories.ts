import { checkWrap, type WrapExpectation } from '@memrelay/envelope/check-wrap';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { type EnvelopeKind, envelopeKind } from '@memrelay/envelope/header';
import {
  checkHeader,
  type Envelope,
  type OpenedEnvelope,
  openBody,
  type Trust,
} from '@memrelay/envelope/open-envelope';
import type { Primitives } from '@memrelay/envelope/primitives';
import type { Wrap } from '@memrelay/envelope/wraps';
import { toHex } from '@memrelay/protocol/bytes';
import { MemRelayError } from '../wire/errors.ts';
import type { AccountState } from './account-state.ts';
import type { KeyServerSet } from './manual-network.ts';
import type { KeyUnwrapper, UnwrappedKey, WrappedKey } from './unwrap-keys.ts';

/**
 * `denied`: the key servers do not let this key read it. `keys_unavailable`: they did not respond. `integrity`: the envelope
 * is invalid, or not signed by a trusted key.
 */
export interface OpenFailure {
  ok: false;
  reason: 'denied' | 'keys_unavailable' | 'integrity';
  message: string;
}
export type OpenedMemory = { ok: true; opened: OpenedEnvelope } | OpenFailure;

export interface Opening {
  state: AccountState;
  /** Tag of the requested namespace */
  tag: Uint8Array;
  /** Default: memories */
  kind?: EnvelopeKind | undefined;
  trust: Trust;
  /** The sets of key servers whose wraps are opened, in the order of `expected` */
  sets: readonly KeyServerSet[];
  expected: WrapExpectation;
  /** Additional wraps by recipient key, for key servers that were configured later */
  wrapsOf(recipientPk: Uint8Array): Promise<readonly Wrap[]>;
}

interface Checked {
  envelope: Envelope;
  key: WrappedKey;
}

/**
 * Opens envelopes, applying the reader's rules in their order (security.md, "Reader"). A failure affects only its envelope;
 * each key is unwrapped once. No text is returned before its signature is verified.
 */
export async function openMemories(
  p: Primitives,
  unwrapper: KeyUnwrapper,
  envelopes: readonly Uint8Array[],
  opening: Opening,
): Promise<OpenedMemory[]> {
  const checked = await Promise.all(envelopes.map((bytes) => check(bytes, opening)));
  const wrapped = new Map<string, WrappedKey>();
  for (const each of checked) if ('key' in each) wrapped.set(nameOf(each.key), each.key);
  const unwrapped = await unwrapper.unwrap(opening.state, [...wrapped.values()]);
  const keys = new Map([...wrapped.keys()].map((name, i) => [name, unwrapped[i]!]));
  try {
    return checked.map((each) =>
      'key' in each ? open(p, each, keys.get(nameOf(each.key))!, opening.trust) : each,
    );
  } finally {
    for (const key of unwrapped) if (key.ok) key.privateKey.fill(0);
  }
}

async function check(bytes: Uint8Array, opening: Opening): Promise<Checked | OpenFailure> {
  const { state, tag, kind = envelopeKind.memory, expected, sets } = opening;
  try {
    const envelope = checkHeader(bytes, { origin: state.origin, tag, maxEpoch: state.account.key_epoch });
    const { header } = envelope;
    if (header.kind !== kind)
      return failure(
        'integrity',
        kind === envelopeKind.memory ? 'it is not the envelope of a memory' : 'it is of another kind',
      );
    const { bytes: wrap, serverSet } = await fittingWrap(header, opening);
    const { identity, recipientPk } = header;
    return {
      envelope,
      key: { identity, recipientPk, wrap, set: sets[expected.serverSets.indexOf(serverSet)]! },
    };
  } catch (error) {
    return refusal(error);
  }
}

/** Tries the envelope's own wraps, then the additional ones. The unwrapped key must always be the key of the envelope. */
async function fittingWrap(header: Envelope['header'], { expected, wrapsOf }: Opening) {
  try {
    return checkWrap({ header }, expected);
  } catch (error) {
    if (!(error instanceof EnvelopeError && error.reason === 'foreign_wrap')) throw error;
    const wraps = await wrapsOf(header.recipientPk);
    if (wraps.length === 0) throw error;
    return checkWrap({ header: { identity: header.identity, wraps } }, expected);
  }
}

function open(p: Primitives, { envelope }: Checked, key: UnwrappedKey, trust: Trust): OpenedMemory {
  if (!key.ok) return failure(key.reason === 'unavailable' ? 'keys_unavailable' : key.reason, key.message);
  try {
    return { ok: true, opened: openBody(p, envelope, key.privateKey, trust) };
  } catch (error) {
    return refusal(error);
  }
}

/** Identifies a wrap: equal only for wraps that open to the same key. */
function nameOf({ identity, recipientPk, wrap }: WrappedKey): string {
  return [identity, recipientPk, wrap].map(toHex).join('/');
}

function refusal(error: unknown): OpenFailure {
  // The additional wraps could not be fetched
  if (error instanceof MemRelayError) return failure('keys_unavailable', error.message);
  if (!(error instanceof EnvelopeError)) throw error;
  const signed = error.signer ? ` (${toHex(error.signer)})` : '';
  return failure('integrity', `${error.reason}: ${error.message}${signed}`);
}

function failure(reason: OpenFailure['reason'], message: string): OpenFailure {
  return { ok: false, reason, message };
}
