import { sealApproval } from '@memrelay/chain/seal-approval';
import {
  ExpiredSessionKeyError,
  InvalidSessionKeySignatureError,
  InvalidUserSignatureError,
  NoAccessError,
  SealClient,
  type SealCompatibleClient,
  SessionKey,
} from '@mysten/seal';
import pLimit from 'p-limit';
import { rawPublicKey } from '../base/raw-public-key.ts';
import { keyServerFetch } from './key-server-fetch.ts';
import type { KeyClient, UnwrapFailure, UnwrapItem, UnwrapResult, UnwrapTask } from './seal-tasks.ts';
import { offlineClient } from './server-snapshot.ts';
import { unverifiedClient } from './unverified-keys.ts';

/** Parallel requests when the ids of a refused batch are requested one by one */
const singleRequests = 4;

/**
 * Unwraps keys in a worker thread, first with keys that are not verified. A wrap that they do not open may be invalid, or
 * a key server lied: Seal's client, which verifies each key, decides.
 */
export async function unwrapKeys(task: UnwrapTask): Promise<UnwrapResult[]> {
  const suiClient = offlineClient(task.snapshot);
  let sessionKey: SessionKey;
  try {
    sessionKey = SessionKey.import(task.session, suiClient);
  } catch (error) {
    return task.items.map(() => failure(error));
  }
  const results = await unwrapWith(unverifiedClient(task, sessionKey), task.items);
  const doubtful = [...results.entries()].filter(([, each]) => !each.ok && each.reason === 'malformed');
  if (doubtful.length === 0) return results;
  const again = doubtful.map(([i]) => task.items[i]!);
  const decided = await unwrapWith(verifyingClient(task, suiClient, sessionKey), again);
  for (const [no, [i]] of doubtful.entries()) results[i] = decided[no]!;
  return results;
}

/**
 * Seal's client. It exists only for one task, because it caches user keys regardless of whose session fetched them: a
 * client that outlived the task would serve the next session without asking the key servers.
 */
function verifyingClient(
  { snapshot, network, account }: UnwrapTask,
  suiClient: SealCompatibleClient,
  sessionKey: SessionKey,
): KeyClient {
  const client = new SealClient({
    suiClient,
    serverConfigs: [...snapshot.servers],
    timeout: network.timeoutMs,
    fetch: keyServerFetch(snapshot, network),
  });
  const { packageId, threshold } = snapshot;
  return {
    async fetchKeys(ids) {
      const identities = ids.map((id) => Buffer.from(id, 'hex'));
      const txBytes = await sealApproval(packageId, account, identities);
      await client.fetchKeys({ ids: [...ids], txBytes, sessionKey, threshold });
    },
    // Its keys are there already, so it sends no request
    decrypt: (wrap) => client.decrypt({ data: wrap, sessionKey, txBytes: new Uint8Array() }),
  };
}

async function unwrapWith(client: KeyClient, items: readonly UnwrapItem[]): Promise<UnwrapResult[]> {
  const ids = [...new Set(items.map((item) => hex(item.identity)))];
  const failures = await fetchUserKeys(client, ids);
  const results: UnwrapResult[] = [];
  // If a key has several wraps, the first valid one is used for all of them
  const opened = new Map<string, UnwrapResult>();
  for (const item of items) {
    const name = `${hex(item.identity)}${hex(item.recipientPk)}`;
    const result = failures.get(hex(item.identity)) ?? opened.get(name) ?? (await unwrap(client, item));
    if (result.ok) opened.set(name, result);
    results.push(result);
  }
  return results;
}

/**
 * Fetches the user keys of all `ids` with one request per server. The policy is evaluated for all of them together, so one
 * refusal refuses all; then each id is requested alone, and the allowed ones succeed. Returns the failures.
 */
async function fetchUserKeys(client: KeyClient, ids: readonly string[]): Promise<Map<string, UnwrapFailure>> {
  try {
    await client.fetchKeys(ids);
    return new Map();
  } catch (error) {
    if (!(error instanceof NoAccessError) || ids.length === 1) {
      return new Map(ids.map((id) => [id, failure(error)]));
    }
  }
  const limit = pLimit(singleRequests);
  const each = await limit.map(ids, (id) => fetchUserKeys(client, [id]));
  return new Map(each.flatMap((failures) => [...failures]));
}

/** Every error is caused by the wrap, or by a key server that lied: the keys have been fetched. */
async function unwrap(client: KeyClient, item: UnwrapItem): Promise<UnwrapResult> {
  try {
    const privateKey = await client.decrypt(item.wrap);
    if (hex(rawPublicKey('x25519', privateKey)) === hex(item.recipientPk)) return { ok: true, privateKey };
    return { ok: false, reason: 'malformed', message: 'the unwrapped key does not belong to the recipient' };
  } catch {
    return { ok: false, reason: 'malformed', message: 'the wrap cannot be decrypted' };
  }
}

/** Classifies an error of Seal's client (`undefined` if a server's key did not match its public key). */
function failure(error: unknown): UnwrapFailure {
  if (error instanceof NoAccessError) {
    return { ok: false, reason: 'denied', message: 'the key servers refused this identity' };
  }
  if (
    error instanceof ExpiredSessionKeyError ||
    error instanceof InvalidUserSignatureError ||
    error instanceof InvalidSessionKeySignatureError
  ) {
    return { ok: false, reason: 'denied', message: 'the key servers refused the session' };
  }
  const cause = error instanceof Error ? `: ${error.message}` : '';
  return { ok: false, reason: 'unavailable', message: `the key servers did not respond${cause}` };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
