import { type SharedAccount, sealApproval } from '@memrelay/chain/seal-approval';
import type { Primitives } from '@memrelay/envelope/primitives';
import { toHex } from '@memrelay/protocol/bytes';
import {
  ExpiredSessionKeyError,
  InvalidSessionKeySignatureError,
  InvalidUserSignatureError,
  NoAccessError,
  type SealClient,
  SessionKey,
} from '@mysten/seal';
import type { SessionSource } from '../wire/enc-session.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { AccountState } from './account-state.ts';
import { mapBounded } from './bounded.ts';
import { exportedSession } from './key-session.ts';
import type { KeyServerSet, ManualNetwork } from './manual-network.ts';
import type { SealClients } from './seal-clients.ts';

/** A wrapped private key from an envelope. */
export interface WrappedKey {
  /** 56 bytes: origin, tag, epoch */
  identity: Uint8Array;
  /** The public key that the private key must match */
  recipientPk: Uint8Array;
  /** Seal `EncryptedObject`, checked */
  wrap: Uint8Array;
  set: KeyServerSet;
}

/** `denied`: the key servers refused. `unavailable`: they did not respond. `integrity`: the wrap is invalid. */
export interface KeyFailure {
  ok: false;
  reason: 'denied' | 'unavailable' | 'integrity';
  message: string;
}
/** The caller owns the key and overwrites it. */
export type UnwrappedKey = { ok: true; privateKey: Uint8Array } | KeyFailure;

export interface KeyUnwrapper {
  /** One result for each key, in order. Throws the errors of signing a session. */
  unwrap(state: AccountState, keys: readonly WrappedKey[]): Promise<UnwrappedKey[]>;
  /** Overwrites and removes all keys. */
  destroy(): void;
}

const singleRequestsAtOnce = 4;

/** Keys fetched by one session for one state of the account. After any change of the account the key servers are asked again. */
interface SessionKeys {
  name: string;
  session: SessionKey;
  /** By set. A Seal client caches user keys without regard to the session, so it must not outlive this cache */
  clients: Map<KeyServerSet, Promise<SealClient>>;
  /** Requested user keys, by set and identity */
  requests: Map<KeyServerSet, Map<string, Promise<KeyFailure | undefined>>>;
  opened: Map<string, Uint8Array>;
}

export function createKeyUnwrapper(
  p: Primitives,
  { packageId, chain }: Pick<ManualNetwork, 'packageId' | 'chain'>,
  clients: SealClients,
  sessions: SessionSource,
): KeyUnwrapper {
  let current: SessionKeys | undefined;

  async function sessionKeysOf({ account, objectVersion }: AccountState): Promise<SessionKeys> {
    const header = await sessions.header(packageId);
    const name = `${header}/${account.id}/${objectVersion}`;
    if (current?.name === name) return current;
    forget(current);
    const session = imported(header);
    current = { name, session, clients: new Map(), requests: new Map(), opened: new Map() };
    return current;
  }

  function imported(header: string): SessionKey {
    try {
      return SessionKey.import(exportedSession(header), chain.sui);
    } catch (cause) {
      throw new MemRelayError(
        'decrypt_denied',
        "According to this machine's clock, the session for the key servers has expired. The clock differs from the relayer's: set it.",
        { cause },
      );
    }
  }

  /** Failures by identity. Sends one request per server for all identities that were not requested yet. */
  function requestKeys(
    keyCache: SessionKeys,
    account: SharedAccount,
    set: KeyServerSet,
    keys: readonly WrappedKey[],
  ): Map<string, Promise<KeyFailure | undefined>> {
    const requests = keyCache.requests.get(set) ?? new Map<string, Promise<KeyFailure | undefined>>();
    keyCache.requests.set(set, requests);
    const identitiesById = new Map(keys.map(({ identity }) => [toHex(identity), identity]));
    const fresh = [...identitiesById.keys()].filter((id) => !requests.has(id));
    if (fresh.length > 0) {
      const identities = fresh.map((id) => identitiesById.get(id)!);
      const request = ask(keyCache, account, set, identities);
      for (const id of fresh) {
        const failure = request.then((failures) => failures.get(id));
        requests.set(id, failure);
        // So that the next call requests refused or failed identities again
        const removeRequest = (): void => void requests.delete(id);
        failure.then((found) => found && removeRequest(), removeRequest);
      }
    }
    return new Map([...identitiesById.keys()].map((id) => [id, requests.get(id)!]));
  }

  async function ask(
    keyCache: SessionKeys,
    account: SharedAccount,
    set: KeyServerSet,
    identities: readonly Uint8Array[],
  ): Promise<Map<string, KeyFailure>> {
    const ids = identities.map(toHex);
    try {
      const client = await clientOf(keyCache, set);
      const txBytes = await sealApproval(packageId, account, identities);
      await client.fetchKeys({ ids, txBytes, sessionKey: keyCache.session, threshold: set.threshold });
      return new Map();
    } catch (error) {
      if (error instanceof MemRelayError) throw error;
      // The key servers check all identities together, so one refusal refuses all. Request each one alone
      if (!(error instanceof NoAccessError) || ids.length === 1)
        return new Map(ids.map((id) => [id, failureOf(error)]));
    }
    const each = await mapBounded(identities, singleRequestsAtOnce, (id) =>
      ask(keyCache, account, set, [id]),
    );
    return new Map(each.flatMap((failures) => [...failures]));
  }

  function clientOf(keyCache: SessionKeys, set: KeyServerSet): Promise<SealClient> {
    const known = keyCache.clients.get(set) ?? clients.clientOf(set);
    keyCache.clients.set(set, known);
    known.catch(() => keyCache.clients.delete(set));
    return known;
  }

  /** The client already has the user keys and sends no request, so every error is caused by the wrap. */
  async function open(
    keyCache: SessionKeys,
    { identity, recipientPk, wrap, set }: WrappedKey,
  ): Promise<UnwrappedKey> {
    try {
      const client = await clientOf(keyCache, set);
      const data = new Uint8Array(wrap);
      const privateKey = await client.decrypt({
        data,
        sessionKey: keyCache.session,
        txBytes: new Uint8Array(),
      });
      if (toHex(p.x25519PublicKey(privateKey)) === toHex(recipientPk)) {
        keyCache.opened.set(nameOf({ identity, recipientPk }), privateKey);
        return { ok: true, privateKey: privateKey.slice() };
      }
    } catch {
      // Falls through: this is not the key of the wrap
    }
    return { ok: false, reason: 'integrity', message: 'the wrap does not contain the key of its envelope' };
  }

  function forget(keyCache: SessionKeys | undefined): void {
    for (const key of keyCache?.opened.values() ?? []) key.fill(0);
    keyCache?.opened.clear();
  }

  return {
    async unwrap(state, keys) {
      if (keys.length === 0) return [];
      const keyCache = await sessionKeysOf(state);
      const account = { objectId: state.account.id, initialSharedVersion: state.initialSharedVersion };
      const unknown = keys.filter((key) => !keyCache.opened.has(nameOf(key)));
      const requests = new Map(
        [...Map.groupBy(unknown, ({ set }) => set)].map(([set, of]) => [
          set,
          requestKeys(keyCache, account, set, of),
        ]),
      );
      const results: UnwrappedKey[] = [];
      for (const key of keys) {
        const known = keyCache.opened.get(nameOf(key));
        const failure = known ? undefined : await requests.get(key.set)?.get(toHex(key.identity));
        results.push(
          known ? { ok: true, privateKey: known.slice() } : (failure ?? (await open(keyCache, key))),
        );
      }
      return results;
    },
    destroy() {
      forget(current);
      current = undefined;
    },
  };
}

function nameOf({ identity, recipientPk }: Pick<WrappedKey, 'identity' | 'recipientPk'>): string {
  return `${toHex(identity)}/${toHex(recipientPk)}`;
}

function failureOf(error: unknown): KeyFailure {
  if (error instanceof NoAccessError)
    return { ok: false, reason: 'denied', message: 'the key servers refused this namespace and key epoch' };
  if (
    error instanceof ExpiredSessionKeyError ||
    error instanceof InvalidUserSignatureError ||
    error instanceof InvalidSessionKeySignatureError
  )
    return { ok: false, reason: 'denied', message: 'the key servers refused the session' };
  return { ok: false, reason: 'unavailable', message: 'the key servers did not respond' };
}
