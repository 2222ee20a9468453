import { permissions } from '@memrelay/chain/account-bcs';
import { envelopeKind } from '@memrelay/envelope/header';
import { toBase64, toHex } from '@memrelay/protocol/bytes';
import type { AccountState } from '../manual/account-state.ts';
import type { ManualBase } from '../manual/manual-base.ts';
import type { ManualParts } from '../manual/manual-parts.ts';
import { openMemories } from '../manual/open-memories.ts';
import { fromBase64 } from '../wire/base64.ts';
import { MemRelayError } from '../wire/errors.ts';
import { callRelayer } from '../wire/request.ts';
import type { SearchKeys } from './search-keys.ts';
import { chooseSecret, isOfEpoch, mayUse, newSealedSecret, secretSigners } from './search-secrets.ts';

/** A private namespace at one state of its account. */
export interface PrivatePlace {
  parts: ManualParts;
  state: AccountState;
  namespace: string;
  /** Tag of the private namespace */
  tag: Uint8Array;
}

/** The search keys of private namespaces, kept while the client lives. */
export interface SecretSource {
  /**
   * The keys that memories are indexed and questions are asked with. Makes and uploads a secret if none counts and this
   * client may write. Throws `search_secret_missing`, `decrypt_denied`, `decrypt_unavailable`.
   */
  keysFor(place: PrivatePlace, signal: AbortSignal | undefined): Promise<SearchKeys>;
  /** Overwrites all keys. */
  destroy(): void;
}

/** Another reader may upload a newer secret; until then a client finds only what was indexed under the one it knows. */
const maxSecretAgeMs = 60_000;
/** Secrets that are opened: more than the readers of a namespace make in one epoch */
const maxOpened = 64;

interface ListedSecrets {
  secrets: { search_id: string; key_epoch: number | string; envelope: string }[];
}

interface KnownKeys {
  epoch: bigint;
  readAt: number;
  keys: Promise<SearchKeys>;
}

export function createSecretSource(
  base: ManualBase,
  now: () => number = () => performance.now(),
): SecretSource {
  const { connection, p } = base;
  const known = new Map<string, KnownKeys>();
  /** All that were handed out: a call may still use the previous ones when a newer secret is chosen */
  const made = new Map<string, SearchKeys>();

  async function read(place: PrivatePlace, signal: AbortSignal | undefined): Promise<SearchKeys | undefined> {
    const { parts, state, namespace, tag } = place;
    const path = '/api/search-secrets/list';
    const call = { method: 'POST', path, body: { namespace }, signal } as const;
    const { value } = await callRelayer<ListedSecrets>(connection, call);
    const epoch = state.account.key_epoch;
    const envelopes = value.secrets
      .map(({ envelope }) => fromBase64(envelope))
      .filter((envelope) => isOfEpoch(envelope, epoch))
      .slice(0, maxOpened);
    const signers = secretSigners(state.account, tag, epoch, connection.clock.now());
    const opened = await openMemories(p, parts.unwrapper, envelopes, {
      state,
      tag,
      kind: envelopeKind.searchSecret,
      trust: signers,
      sets: parts.network.readable,
      expected: parts.expected,
      wrapsOf: async () => [],
    });
    const keys = chooseSecret(
      p,
      opened.flatMap((each) => (each.ok ? [each.opened] : [])),
      epoch,
      signers,
    );
    if (!keys) refuseUnopened(opened.flatMap((each) => (each.ok ? [] : [each.reason])));
    return keys;
  }

  async function upload({ parts, state, namespace, tag }: PrivatePlace, signal: AbortSignal | undefined) {
    const key = await parts.keys.keyFor(state, tag);
    connection.signer.assertUsable();
    const createdAt = new Date(connection.clock.now()).toISOString();
    const sealing = { origin: state.origin, namespace, key, createdAt, signer: base.seed };
    const { envelope } = newSealedSecret(p, sealing);
    const body = { namespace, envelope: toBase64(envelope) };
    await callRelayer(connection, { method: 'POST', path: '/api/search-secrets', body, signal });
  }

  async function load(place: PrivatePlace): Promise<SearchKeys> {
    // Without the caller's signal: other calls wait for the same keys
    const found = await read(place, undefined);
    if (found) return found;
    if (!ownRights(base, place.state, place.tag, permissions.read | permissions.write))
      throw new MemRelayError(
        'search_secret_missing',
        'This private namespace has no search secret for the current key epoch, and this key may not make one. Let a client whose key may read and write the namespace recall or store something once.',
        { retryable: true },
      );
    await upload(place, undefined);
    // Read again: another client may have uploaded one at the same time, and all must choose the same
    const uploaded = await read(place, undefined);
    if (uploaded) return uploaded;
    throw new MemRelayError(
      'invalid_response',
      'The relayer does not list the search secret that it accepted.',
    );
  }

  return {
    async keysFor(place, signal) {
      const name = toHex(place.tag);
      const epoch = place.state.account.key_epoch;
      const current = known.get(name);
      if (current && current.epoch === epoch && now() - current.readAt < maxSecretAgeMs) return current.keys;
      const loading = load(place).then((keys) => {
        const same = made.get(keys.searchId);
        if (same) keys.destroy();
        else made.set(keys.searchId, keys);
        return same ?? keys;
      });
      known.set(name, { epoch, readAt: now(), keys: loading });
      loading.catch(() => known.delete(name));
      signal?.throwIfAborted();
      return loading;
    },
    destroy() {
      for (const keys of made.values()) keys.destroy();
      made.clear();
      known.clear();
    },
  };
}

/** If the key servers withhold the keys of the secrets, a new secret would not help: nothing could be opened. */
function refuseUnopened(reasons: readonly string[]): void {
  if (reasons.includes('keys_unavailable'))
    throw new MemRelayError(
      'decrypt_unavailable',
      'The key servers did not respond, so the search secret of this namespace could not be opened. The same call may succeed later.',
      { retryable: true },
    );
  if (reasons.includes('denied'))
    throw new MemRelayError(
      'decrypt_denied',
      'The key servers refuse this key access to the search secret. It may have been revoked, or may not read this namespace: ask the owner of the account.',
    );
}

/** Whether this client's delegate key has all of these permissions under the tag, according to the chain. */
export function ownRights(
  { connection }: ManualBase,
  { account }: AccountState,
  tag: Uint8Array,
  perms: number,
): boolean {
  const own = account.delegate_keys.find(({ public_key }) => toHex(public_key) === connection.publicKey);
  const scope = own && account.scopes.find(({ key }) => key === own.address)?.value;
  return scope !== undefined && mayUse(scope, tag, perms, connection.clock.now());
}
