import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from 'jose';
import type { ApiError } from '../base/api-error.ts';
import { expiredToken, failedPrecondition, invalidSignature, invalidToken } from './auth-error.ts';
import { type TokenKey, tokenAlgorithms } from './token-key.ts';
import { namesAudience, parseClaims, type UploadClaims } from './upload-claims.ts';

/** How long a token is accepted after its expiry, because clocks differ. */
export const leewaySec = 60;

/** The last second in the real publisher's calendar, in the year 262142. */
const lastTimestamp = 8_210_266_876_799;

/**
 * The claims of a token, verified with `key`. Without a key neither signature nor expiry is checked, which is only
 * safe behind a gateway that verifies tokens. `jose` checks the signature. The claims are checked here, by the
 * rules of the real publisher's library: exactly one algorithm, `exp` with a leeway, `nbf`, `sub` and `iss`
 * ignored, tokens with an `aud` rejected. Throws an `ApiError` with the reason.
 */
export async function readToken(token: string, key: TokenKey | undefined): Promise<UploadClaims> {
  if (!token.split('.').every(isCanonical)) throw invalidToken('the token is not a signed JWT');
  const payload = key === undefined ? decode(token) : await verify(token, key);
  const claims = parseClaims(payload);
  if (key !== undefined && claims.exp < Math.floor(Date.now() / 1000) - leewaySec) throw expiredToken();
  if (namesAudience(payload)) throw invalidToken('the token is for an audience, this publisher expects none');
  if (claims.exp > lastTimestamp) {
    throw failedPrecondition('INVALID_TIMESTAMP', 'the claim exp is not a valid time');
  }
  return claims;
}

/** Whether text is canonical base64url. `jose` also accepts padding, other alphabets and non-zero trailing bits. */
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

async function verify(token: string, { algorithm, key }: TokenKey): Promise<Record<string, unknown>> {
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
  } catch (error) {
    throw refusalOf(error, algorithm);
  }
  return decode(token);
}

/** Errors of `jose` may contain parts of the token, so they are not kept as the cause. */
function refusalOf(error: unknown, algorithm: string): ApiError {
  if (error instanceof errors.JWSSignatureVerificationFailed) return invalidSignature();
  if (error instanceof errors.JOSEAlgNotAllowed)
    return invalidToken(`the token is not signed with ${algorithm}`);
  return invalidToken('the token is not a signed JWT');
}

function decode(token: string): Record<string, unknown> {
  try {
    const { alg, crit } = decodeProtectedHeader(token);
    if (crit === undefined && tokenAlgorithms.includes(alg as 'HS256')) return decodeJwt(token);
  } catch {
    // Rejected below. The original error is dropped because it may quote the token.
  }
  throw invalidToken('the token is not a signed JWT');
}
