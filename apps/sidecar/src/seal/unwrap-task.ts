import { sealApproval } from '@memrelay/chain/seal-approval';
import {
  ExpiredSessionKeyError,
  InvalidSessionKeySignatureError,
  InvalidUserSignatureError,
  NoAccessError,
  SealClient,
  SessionKey,
} from '@mysten/seal';
import pLimit from 'p-limit';
import { rawPublicKey } from '../base/raw-public-key.ts';
import { keyServerFetch } from './key-server-fetch.ts';
import type { UnwrapFailure, UnwrapItem, UnwrapResult, UnwrapTask } from './seal-tasks.ts';
import { offlineClient } from './server-snapshot.ts';

/** Parallel requests when the ids of a refused batch are requested one by one */
const singleRequests = 4;

/**
 * Unwraps keys in a worker thread. The client exists only for this task: Seal's client caches user keys regardless of whose
 * session fetched them, so a client that outlived the task would serve the next session without asking the key servers.
 */
export async function unwrapKeys(task: UnwrapTask): Promise<UnwrapResult[]> {
  const suiClient = offlineClient(task.snapshot);
  const client = new SealClient({
    suiClient,
    serverConfigs: [...task.snapshot.servers],
    timeout: task.network.timeoutMs,
    fetch: keyServerFetch(task.snapshot, task.network),
  });
  let sessionKey: SessionKey;
  try {
    sessionKey = SessionKey.import(task.session, suiClient);
  } catch (error) {
    return task.items.map(() => failure(error));
  }
  const ids = [...new Set(task.items.map((item) => hex(item.identity)))];
  const failures = await fetchUserKeys(client, sessionKey, task, ids);

  const results: UnwrapResult[] = [];
  // If a key has several wraps, the first valid one is used for all of them
  const opened = new Map<string, UnwrapResult>();
  for (const item of task.items) {
    const name = `${hex(item.identity)}${hex(item.recipientPk)}`;
    const result =
      failures.get(hex(item.identity)) ?? opened.get(name) ?? (await unwrap(client, sessionKey, item));
    if (result.ok) opened.set(name, result);
    results.push(result);
  }
  return results;
}

/**
 * Fetches the user keys of all `ids` with one request per server. The policy is evaluated for all of them together, so one
 * refusal refuses all; then each id is requested alone, and the allowed ones succeed. Returns the failures.
 */
async function fetchUserKeys(
  client: SealClient,
  sessionKey: SessionKey,
  task: UnwrapTask,
  ids: readonly string[],
): Promise<Map<string, UnwrapFailure>> {
  const { threshold, packageId } = task.snapshot;
  try {
    const identities = ids.map((id) => Buffer.from(id, 'hex'));
    const txBytes = await sealApproval(packageId, task.account, identities);
    await client.fetchKeys({ ids: [...ids], txBytes, sessionKey, threshold });
    return new Map();
  } catch (error) {
    if (!(error instanceof NoAccessError) || ids.length === 1) {
      return new Map(ids.map((id) => [id, failure(error)]));
    }
  }
  const limit = pLimit(singleRequests);
  const each = await limit.map(ids, (id) => fetchUserKeys(client, sessionKey, task, [id]));
  return new Map(each.flatMap((failures) => [...failures]));
}

/** The client already has the user keys and sends no request, so every error is caused by the wrap. */
async function unwrap(client: SealClient, sessionKey: SessionKey, item: UnwrapItem): Promise<UnwrapResult> {
  try {
    const privateKey = await client.decrypt({ data: item.wrap, sessionKey, txBytes: new Uint8Array() });
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
