import { type Account, permissions, type Scope } from '@memrelay/chain/account-bcs';
import { equalBytes } from '@memrelay/envelope/bytes';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import type { OpenedEnvelope } from '@memrelay/envelope/open-envelope';
import type { Primitives } from '@memrelay/envelope/primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import type { SealingKey } from '../manual/namespace-keys.ts';
import { type SearchKeys, searchKeys } from './search-keys.ts';

/**
 * Search secrets (security.md, "Private namespaces"): 32 random bytes in an envelope of kind 5, sealed for the readers of
 * a private namespace. Tokens and vectors are made under keys that derive from one.
 */

/** A new secret, sealed. */
export interface SealedSecret {
  /** `envelope_id`, 32 lower-case hex digits */
  searchId: string;
  envelope: Uint8Array;
}

export interface SecretSealing {
  /** The account's creating address, 32 bytes */
  origin: Uint8Array;
  namespace: string;
  /** The client's own key pair of (private tag, current epoch) */
  key: SealingKey;
  /** RFC 3339 */
  createdAt: string;
  /** The delegate's private key, 32 bytes */
  signer: Uint8Array;
}

/** Makes a secret, seals it for the readers of the namespace and forgets it: its maker opens it like everyone else. */
export function newSealedSecret(p: Primitives, sealing: SecretSealing): SealedSecret {
  const { origin, namespace, key, createdAt, signer } = sealing;
  const envelopeId = newEnvelopeId(p);
  const secret = p.randomBytes(32);
  const envelope = sealEnvelope(p, {
    kind: envelopeKind.searchSecret,
    origin,
    namespace,
    ...key,
    envelopeId,
    meta: { created_at: createdAt, private: true },
    text: toHex(secret),
    signer,
  });
  secret.fill(0);
  return { searchId: toHex(envelopeId), envelope };
}

/**
 * The public keys, in hex, whose secrets count: delegates that can read and write under this tag now, and could read what
 * was sealed in this epoch. Relayers, retired delegates and anyone else could hand a reader a secret they know.
 */
export function secretSigners(
  account: Pick<Account, 'delegate_keys' | 'scopes'>,
  tag: Uint8Array,
  keyEpoch: bigint,
  nowMs: number,
): ReadonlySet<string> {
  const scopes = new Map(account.scopes.map(({ key, value }) => [key, value]));
  return new Set(
    account.delegate_keys.flatMap(({ address, public_key }) => {
      const scope = scopes.get(address);
      const needed = permissions.read | permissions.write;
      const counts = scope && scope.min_epoch <= keyEpoch && mayUse(scope, tag, needed, nowMs);
      return counts ? [toHex(public_key)] : [];
    }),
  );
}

/** Whether a scope grants all of these permissions under the tag. */
export function mayUse(scope: Scope, tag: Uint8Array, perms: number, nowMs: number): boolean {
  const expired = scope.expires_at_ms !== 0n && scope.expires_at_ms <= BigInt(Math.floor(nowMs));
  const covers = scope.all_namespaces || scope.tags.some((each) => equalBytes(each, tag));
  return !expired && (scope.perms & perms) === perms && covers;
}

/** Whether an envelope could hold a secret that questions may be sent under: only one of the current epoch. */
export function isOfEpoch(envelope: Uint8Array, keyEpoch: bigint): boolean {
  try {
    const header = parseHeader(envelope, envelope.length);
    return header.kind === envelopeKind.searchSecret && header.keyEpoch === keyEpoch;
  } catch {
    return false;
  }
}

/**
 * The keys of the secret to use, or undefined if none counts: of the current epoch, signed by one of `signers`; the
 * newest by its signed time, so that all clients agree. The relayer lists the candidates. By leaving some out it can only
 * make clients use another secret of the same readers, or make a new one.
 */
export function chooseSecret(
  p: Primitives,
  opened: readonly OpenedEnvelope[],
  keyEpoch: bigint,
  signers: ReadonlySet<string>,
): SearchKeys | undefined {
  const counting = opened
    .filter(
      ({ header, text, signer }) =>
        header.kind === envelopeKind.searchSecret &&
        header.keyEpoch === keyEpoch &&
        /^[0-9a-f]{64}$/.test(text) &&
        signers.has(toHex(signer)),
    )
    .map((each) => ({ ...each, atMs: Date.parse(each.meta.created_at), id: toHex(each.header.envelopeId) }))
    .sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1));
  const [newest] = counting;
  if (!newest) return undefined;
  const { tag, envelopeId } = newest.header;
  const secret = fromHex(newest.text);
  const keys = searchKeys(p, secret, { tag, keyEpoch, searchId: envelopeId });
  secret.fill(0);
  return keys;
}
