import { timingSafeEqual } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fromHex } from '@memrelay/protocol/bytes';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PolicyChain } from '../chain/policy.ts';
import { parseApprovePtb } from './approve-ptb.ts';
import type { DecryptionKeys } from './fetch-key.ts';
import { parseFetchKeyRequest } from './fetch-key-request.ts';
import { KeyServerError, keyServerErrorNamed } from './key-server-error.ts';
import { keyServerVersion, type SealEndpoint } from './routes.ts';
import { combineShares, isTrueShare, type SealedShare } from './secret-shares.ts';

/** A header that a gateway in front of the aggregator requires. */
export interface ApiKey {
  readonly name: string;
  readonly key: string;
}

export interface CommitteeMember {
  readonly partyId: number;
  /** Path at which the member is mounted */
  readonly path: string;
  /** G2 point of its share, 96 bytes */
  readonly publicKey: Uint8Array;
}

export interface AggregatorParts {
  readonly app: FastifyInstance;
  readonly policy: PolicyChain;
  readonly threshold: number;
  readonly members: readonly CommitteeMember[];
  readonly apiKey: () => ApiKey | undefined;
}

/** One member's shares, in the order of the requested identities. */
type Answer = readonly SealedShare[];

/**
 * The server of a committee to which clients send requests. It forwards a request to the members, each of which
 * checks it and queries the chain like an independent server, and combines as many shares as the threshold. It has
 * no share itself and cannot read the combined keys.
 */
export function aggregator(parts: AggregatorParts): SealEndpoint {
  const { threshold, members } = parts;
  return {
    service: () => {
      throw new KeyServerError('InvalidServiceId', 'Unsupported: an aggregator holds no key to prove');
    },
    async fetchKey(request) {
      checkApiKey(request, parts.apiKey());
      const { ptb, encVerificationKey } = parseFetchKeyRequest(request.body);
      const fullIds = requestedIds(ptb, parts.policy);
      const about = { fullIds, encVerificationKey: pointG2(encVerificationKey) };

      const answers: Answer[] = [];
      const errors: KeyServerError[] = [];
      // Seal's aggregator queries all members at once. Here they share one processor, so no more are queried than
      // needed.
      for (let next = 0; answers.length < threshold && next < members.length; ) {
        const asked = members.slice(next, next + threshold - answers.length);
        next += asked.length;
        const results = await Promise.allSettled(asked.map((member) => ask(parts, member, request, about)));
        for (const result of results) {
          if (result.status === 'fulfilled') answers.push(result.value);
          else errors.push(asKeyServerError(result.reason));
        }
      }
      if (answers.length < threshold) throw mostCommon(errors);
      return combined(fullIds, answers);
    },
  };
}

function checkApiKey({ headers }: FastifyRequest, apiKey: ApiKey | undefined): void {
  if (!apiKey) return;
  const sentKey = Buffer.from(String(headers[apiKey.name.toLowerCase()] ?? ''));
  const expected = Buffer.from(apiKey.key);
  if (sentKey.length !== expected.length || !timingSafeEqual(sentKey, expected)) {
    throw new KeyServerError('InvalidApiKey', 'The API key is missing or wrong');
  }
}

function requestedIds(ptb: string, policy: PolicyChain): Uint8Array[] {
  const { packageId, innerIds } = parseApprovePtb(ptb);
  const original = policy.originalPackageId(packageId);
  if (original === undefined) throw new KeyServerError('InvalidPackage', 'Invalid package ID');
  return innerIds.map((innerId) => concatBytes(fromHex(original), innerId));
}

/** The verified shares of one member. Throws its error, or `Failure` when its response is wrong or unusable. */
async function ask(
  { app }: AggregatorParts,
  { partyId, path, publicKey }: CommitteeMember,
  request: FastifyRequest,
  about: { fullIds: readonly Uint8Array[]; encVerificationKey: InstanceType<typeof bls12_381.G2.Point> },
): Promise<Answer> {
  const response = await app.inject({
    method: 'POST',
    url: `${path}/v1/fetch_key`,
    headers: {
      'client-sdk-type': 'aggregator',
      'client-sdk-version': keyServerVersion,
      'request-id': String(request.headers['request-id'] ?? ''),
    },
    payload: request.body as object,
  });
  const body = response.json<unknown>();
  if (response.statusCode !== 200) {
    const { error, message } = body as { error?: unknown; message?: unknown };
    throw keyServerErrorNamed(error, String(message));
  }
  const keys = (body as DecryptionKeys).decryption_keys;
  if (keys.length !== about.fullIds.length) throw failure(partyId);
  const shares: SealedShare[] = [];
  for (const [i, fullId] of about.fullIds.entries()) {
    const key = keys[i]!;
    const [c0, c1] = key.encrypted_key.map((base64) => pointG1(Buffer.from(base64, 'base64')));
    const share = { partyId, c0: c0!, c1: c1! };
    const memberKey = pointG2(publicKey);
    const { encVerificationKey } = about;
    const isOfId = Buffer.compare(Uint8Array.from(key.id), fullId) === 0;
    if (!isOfId || !isTrueShare(share, { fullId, encVerificationKey, memberKey })) throw failure(partyId);
    shares.push(share);
    // The chain shares this event loop.
    await nextTurn();
  }
  return shares;
}

async function combined(fullIds: readonly Uint8Array[], answers: readonly Answer[]): Promise<DecryptionKeys> {
  const decryptionKeys: DecryptionKeys['decryption_keys'] = [];
  for (const [i, id] of fullIds.entries()) {
    const [c0, c1] = combineShares(answers.map((answer) => answer[i]!));
    decryptionKeys.push({
      id: [...id],
      encrypted_key: [Buffer.from(c0).toString('base64'), Buffer.from(c1).toString('base64')],
    });
    await nextTurn();
  }
  return { decryption_keys: decryptionKeys };
}

/** The most common error of the members, returned if too few of them responded, as in Seal's aggregator. */
function mostCommon(errors: readonly KeyServerError[]): KeyServerError {
  const byName = [...Map.groupBy(errors, ({ error }) => error).values()];
  return byName.reduce((most, each) => (each.length > most.length ? each : most))[0]!;
}

function asKeyServerError(error: unknown): KeyServerError {
  return error instanceof KeyServerError ? error : new KeyServerError('Failure', 'a member did not respond');
}

function failure(partyId: number): KeyServerError {
  return new KeyServerError('Failure', `party ${partyId} did not return its shares`);
}

function pointG1(bytes: Uint8Array): InstanceType<typeof bls12_381.G1.Point> {
  return bls12_381.G1.Point.fromBytes(bytes);
}

/** Throws `MalformedRequest` */
function pointG2(bytes: Uint8Array): InstanceType<typeof bls12_381.G2.Point> {
  try {
    return bls12_381.G2.Point.fromBytes(bytes);
  } catch {
    throw new KeyServerError('MalformedRequest', 'Invalid field enc_verification_key');
  }
}
