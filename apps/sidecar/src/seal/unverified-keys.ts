import { setTimeout as wait } from 'node:timers/promises';
import { sealApproval } from '@memrelay/chain/seal-approval';
import {
  InvalidKeyServerVersionError,
  SealAPIError,
  type SessionKey,
  TooManyFailedFetchKeyRequestsError,
  toMajorityError,
} from '@mysten/seal';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { z } from 'zod';
import { keyServerFetch } from './key-server-fetch.ts';
import { type PreparedObject, prepareSealObject, type UserKey } from './open-seal-object.ts';
import type { KeyClient, UnwrapTask } from './seal-tasks.ts';

const { Point } = bls12_381.G1;
/** The version of Seal's client whose requests these are; key servers refuse clients that are too old. */
export const sealClientVersion = '1.4.12';
/** So that the requests are on their way before the thread is busy with arithmetic, in milliseconds */
const sendMs = 2;

const answerSchema = z.object({
  decryption_keys: z.array(
    z.object({ id: z.array(z.number()), encrypted_key: z.tuple([z.base64(), z.base64()]) }),
  ),
});

/**
 * Fetches user keys like Seal's client, but does not verify them: `decrypt` throws if a key server lied. Prepares the wraps while
 * the key servers work.
 */
export function unverifiedClient(task: UnwrapTask, sessionKey: SessionKey): KeyClient {
  const { snapshot, network } = task;
  const call = keyServerFetch(snapshot, network);
  const userKeys = new Map<string, Map<string, UserKey>>();
  const prepared = new Map<Uint8Array, PreparedObject | undefined>();
  const preparedOf = (wrap: Uint8Array): PreparedObject | undefined => {
    if (!prepared.has(wrap)) prepared.set(wrap, prepareOrSkip(wrap));
    return prepared.get(wrap);
  };

  async function askServer(objectId: string, request: KeyRequest, signal: AbortSignal): Promise<void> {
    const { apiKeyName, apiKey } = snapshot.servers.find((server) => server.objectId === objectId)!;
    const requestId = crypto.randomUUID();
    const response = await call(`${snapshot.urls.get(objectId)}/v1/fetch_key`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'request-id': requestId,
        'client-sdk-type': 'typescript',
        'client-sdk-version': sealClientVersion,
        ...(apiKeyName && apiKey ? { [apiKeyName]: apiKey } : {}),
      },
      body: request.body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(network.timeoutMs)]),
    });
    await SealAPIError.assertResponse(response, requestId);
    if (!response.headers.has('x-keyserver-version'))
      throw new InvalidKeyServerVersionError('the key server does not state its version');
    const { decryption_keys: keys } = answerSchema.parse(await response.json());
    for (const { id, encrypted_key: parts } of keys) {
      const [mask, masked] = parts.map((part) => Point.fromBytes(Buffer.from(part, 'base64')));
      const fullId = Buffer.from(id).toString('hex');
      const ofId = userKeys.get(fullId) ?? new Map<string, UserKey>();
      userKeys.set(fullId, ofId.set(objectId, masked!.subtract(mask!.multiply(request.secret))));
    }
  }

  return {
    async fetchKeys(ids) {
      const identities = ids.map((id) => Buffer.from(id, 'hex'));
      const request = await makeRequest(
        sessionKey,
        await sealApproval(snapshot.packageId, task.account, identities),
      );
      const answered = untilThreshold(snapshot, (objectId, signal) => askServer(objectId, request, signal));
      await Promise.race([answered, wait(sendMs)]);
      for (const { identity, wrap } of task.items)
        if (ids.includes(Buffer.from(identity).toString('hex'))) preparedOf(wrap);
      await answered;
    },
    async decrypt(wrap) {
      const object = preparedOf(wrap);
      if (!object) throw new RangeError('only the verifying client can open this');
      return object.open(userKeys.get(object.fullId) ?? new Map());
    },
  };
}

interface KeyRequest {
  body: string;
  /** ElGamal key that the answers are encrypted to */
  secret: bigint;
}

async function makeRequest(sessionKey: SessionKey, txBytes: Uint8Array): Promise<KeyRequest> {
  const [certificate, request] = await Promise.all([
    sessionKey.getCertificate(),
    sessionKey.createRequestParams(txBytes),
  ]);
  const { encKey, encKeyPk, encVerificationKey, requestSignature } = request;
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const body = JSON.stringify({
    // Without the kind of the transaction
    ptb: base64(txBytes.slice(1)),
    enc_key: base64(encKeyPk),
    enc_verification_key: base64(encVerificationKey),
    request_signature: requestSignature,
    certificate,
  });
  return { body, secret: bytesToNumberBE(encKey) };
}

/** Asks all servers at once. Resolves once those of enough weight have answered, and throws once they no longer can. */
async function untilThreshold(
  { servers, threshold }: UnwrapTask['snapshot'],
  ask: (objectId: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const errors: unknown[] = [];
  let missing = threshold;
  let possible = servers.reduce((sum, { weight }) => sum + weight, 0);
  const asked = servers.map(async ({ objectId, weight }) => {
    try {
      await ask(objectId, ended.signal);
      missing -= weight;
      if (missing <= 0) ended.abort();
    } catch (error) {
      if (!ended.signal.aborted) errors.push(error);
    } finally {
      possible -= weight;
      if (possible < missing) ended.abort(new TooManyFailedFetchKeyRequestsError());
    }
  });
  await Promise.all(asked);
  if (missing > 0) throw toMajorityError(errors as Error[]);
}

function prepareOrSkip(wrap: Uint8Array): PreparedObject | undefined {
  try {
    return prepareSealObject(wrap);
  } catch {
    return undefined;
  }
}
