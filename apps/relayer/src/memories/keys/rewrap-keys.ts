import { envelopeKind } from '@memrelay/envelope/header';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { ApiError } from '@memrelay/protocol/errors';
import type { KeyEntry, KeysResponse, RewrapRequest, RewrapResponse } from '@memrelay/protocol/key-wraps';
import type { Caller } from '../../accounts/caller.ts';
import { readerOf } from '../../accounts/reader.ts';
import { requireFreshAccount } from '../../accounts/require-permission.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { Pipeline } from '../../jobs/pipeline.ts';
import { insertJobs } from '../../jobs/rows/accept-jobs.ts';
import type { KeyRewraps } from '../../keys/key-rewraps.ts';
import { sealJob } from '../../keys/seal-job.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { type AccountKey, type AccountKeyParts, accountKeys } from './account-keys.ts';

/** Each key takes two Seal operations, 80 ms of processor time. */
const keysPerCall = 20;

export interface RewrapParts extends AccountKeyParts {
  keyRewraps: KeyRewraps;
  pipeline: Pick<Pipeline, 'wakeUpload'>;
  secrets: Secrets;
  /** Address of the server key, if one is configured */
  serverAddress: string | undefined;
  sidecar: Pick<SidecarClient, 'rewrapKeys'>;
}

/** The caller's keys with their wraps. The holder of the recovery key can open these without any key server. */
export async function listKeys(parts: AccountKeyParts, caller: Caller): Promise<KeysResponse> {
  const keys = await accountKeys(parts, caller, ['read']);
  return {
    keys: keys.map(
      (key): KeyEntry => ({
        namespace: key.namespace,
        tag: key.tag,
        key_epoch: key.keyEpoch,
        recipient_pk: key.recipientPk,
        current: key.isCurrent,
        wraps: onWire(key.wraps),
      }),
    ),
  };
}

/**
 * Wraps keys for the current key servers: the keys in the request, whose wraps the caller made with the recovery key,
 * or else the next ones that are wrapped for other servers. A wrap is accepted once the credential has opened it and it
 * matches its public key. It is saved here and in an envelope of the owner (kind 3), so that it outlives this database.
 * Throws `ApiError`.
 */
export async function rewrapKeys(
  parts: RewrapParts,
  caller: Caller,
  request: RewrapRequest,
): Promise<RewrapResponse> {
  requireFreshAccount(caller);
  const keys = await accountKeys(parts, caller, ['read', 'write']);
  const { toWrap, next } = request.keys ? requestedKeys(keys, request.keys) : nextKeys(keys, request.after);
  const jobIds: string[] = [];
  const failed: RewrapResponse['failed'] = [];
  if (toWrap.length > 0) {
    const answer = await parts.sidecar.rewrapKeys(
      {
        ...readerOf(caller, parts.serverAddress),
        keys: toWrap.map(({ key, wraps }) => ({
          tag: key.tag,
          key_epoch: key.keyEpoch,
          recipient_pk: key.recipientPk,
          wraps: onWire(wraps),
        })),
      },
      caller.credentials,
    );
    // The sidecar was restarted with other key servers: its wraps must not be saved under this set
    if (answer.server_set !== parts.keyRewraps.serverSet) throw new ApiError('sidecar_unavailable');
    for (const [i, result] of answer.keys.entries()) {
      const { key } = toWrap[i]!;
      if (!result.ok) {
        failed.push({ recipient_pk: key.recipientPk, reason: result.reason });
        continue;
      }
      const jobId = await saveWrap(parts, caller, key, Buffer.from(result.wrap, 'base64'));
      if (jobId !== undefined) jobIds.push(jobId);
    }
    parts.keyRewraps.refresh(hexToBytes(caller.account.accountId));
    parts.pipeline.wakeUpload();
  }
  return { job_ids: jobIds, failed, ...(next === undefined ? {} : { next }) };
}

function onWire(wraps: readonly Wrap[]): KeyEntry['wraps'] {
  return wraps.map(({ type, bytes }) => ({ type, bytes: Buffer.from(bytes).toString('base64') }));
}

interface KeyToWrap {
  key: AccountKey;
  wraps: Wrap[];
}

function requestedKeys(
  keys: readonly AccountKey[],
  requested: NonNullable<RewrapRequest['keys']>,
): { toWrap: KeyToWrap[]; next: undefined } {
  const byPublicKey = new Map(keys.map((key) => [key.recipientPk, key]));
  const toWrap = requested.map(({ recipient_pk, wrap }, i): KeyToWrap => {
    const key = byPublicKey.get(recipient_pk);
    if (key) return { key, wraps: [{ type: wrapType.seal, bytes: Buffer.from(wrap, 'base64') }] };
    throw new ApiError('invalid_request', {
      details: { issues: [{ path: `keys.${i}.recipient_pk`, message: 'is not a key of this account' }] },
    });
  });
  return { toWrap: toWrap.filter(({ key }) => !key.isCurrent), next: undefined };
}

function nextKeys(
  keys: readonly AccountKey[],
  after: string | undefined,
): { toWrap: KeyToWrap[]; next: string | undefined } {
  const left = keys.filter((key) => !key.isCurrent && (after === undefined || key.recipientPk > after));
  const toWrap = left.slice(0, keysPerCall).map((key) => ({ key, wraps: key.wraps }));
  return { toWrap, next: left.length > keysPerCall ? toWrap.at(-1)!.key.recipientPk : undefined };
}

/** Saves a wrap. Returns the id of the job that uploads it, or undefined if another call has already saved one. */
async function saveWrap(
  parts: RewrapParts,
  caller: Caller,
  key: AccountKey,
  wrap: Buffer,
): Promise<string | undefined> {
  const { account } = caller;
  const accountId = hexToBytes(account.accountId);
  const recipientPk = hexToBytes(key.recipientPk);
  const recovery = key.wraps.filter(({ type }) => type === wrapType.recovery);
  const job = sealJob(parts, caller, {
    kind: envelopeKind.rewrap,
    account,
    namespace: key.namespace,
    keyEpoch: key.keyEpoch,
    key: { recipientPk, wraps: [{ type: wrapType.seal, bytes: wrap }, ...recovery] },
    text: '',
  });
  const isNew = await parts.db.transaction(async (tx) => {
    const saved = await parts.keyRewraps.save(tx, accountId, recipientPk, wrap);
    if (saved) await insertJobs(tx, [job], 'uploading');
    return saved;
  });
  return isNew ? job.id : undefined;
}
