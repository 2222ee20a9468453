import { setImmediate as nextTurn } from 'node:timers/promises';
import { fromHex } from '@memrelay/protocol/bytes';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { PolicyAnswer, PolicyChain } from '../chain/policy.ts';
import { parseApprovePtb } from './approve-ptb.ts';
import { verifyRequest } from './certificate.ts';
import { type FetchKeyRequest, parseFetchKeyRequest } from './fetch-key-request.ts';
import { KeyServerError } from './key-server-error.ts';
import { sealUserKey } from './user-key.ts';

export interface DecryptionKeys {
  decryption_keys: { id: number[]; encrypted_key: [string, string] }[];
}

/**
 * Answers `POST /v1/fetch_key`: one encrypted decryption key per `seal_approve*` call, if the chain's policy lets the
 * certificate's user run all of them now. Nothing is cached between requests, so a revocation applies from the next
 * one on. The real server also rejects responses of a full node that lags by two minutes; here the chain is in the
 * same process. Throws `KeyServerError`.
 */
export async function fetchKey(
  body: unknown,
  server: { masterKey: bigint; policy: PolicyChain; now: () => number },
): Promise<DecryptionKeys> {
  const request = parseFetchKeyRequest(body);
  const encKey = parseEncKey(request);
  const ptb = parseApprovePtb(request.ptb);
  const original = server.policy.originalPackageId(ptb.packageId);
  if (original === undefined) throw new KeyServerError('InvalidPackage', 'Invalid package ID');
  if (request.certificate.mvrName !== undefined) {
    // There is no name registry on this network, so no name can resolve to the package.
    throw new KeyServerError('InvalidMVRName', 'Invalid MVR name');
  }
  await verifyRequest(request, ptb.bytes, original, server.now());
  const answer = await server.policy.evaluate(ptb.bytes, request.certificate.user);
  if (!answer.ok) throw refusal(answer);

  const decryptionKeys: DecryptionKeys['decryption_keys'] = [];
  for (const innerId of ptb.innerIds) {
    const id = concatBytes(fromHex(original), innerId);
    const [c0, c1] = sealUserKey(server.masterKey, id, encKey);
    decryptionKeys.push({ id: [...id], encrypted_key: [base64(c0), base64(c1)] });
    // A batch may take a second of computation, and the chain runs in this event loop.
    await nextTurn();
  }
  return { decryption_keys: decryptionKeys };
}

function parseEncKey(request: FetchKeyRequest): InstanceType<typeof bls12_381.G1.Point> {
  try {
    const encKey = bls12_381.G1.Point.fromBytes(request.encKey);
    bls12_381.G2.Point.fromBytes(request.encVerificationKey);
    if (!encKey.is0()) return encKey;
  } catch {
    // falls through: not a point of the group
  }
  throw new KeyServerError('MalformedRequest', 'Invalid field enc_key or enc_verification_key');
}

/** A Move abort denies access. Anything else, such as a missing object or function, is an error in the request. */
function refusal(answer: Extract<PolicyAnswer, { ok: false }>): KeyServerError {
  return answer.abort
    ? new KeyServerError('NoAccess', 'Access denied')
    : new KeyServerError('InvalidParameter', `Invalid parameter: ${answer.reason}`);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
