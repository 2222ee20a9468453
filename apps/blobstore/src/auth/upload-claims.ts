import { addressPattern } from '@memrelay/protocol/address';
import { invalidToken } from './auth-error.ts';

/** The claims of a publisher token. Sizes are in bytes, times in seconds since 1970. */
export interface UploadClaims {
  exp: number;
  jti: string;
  iat: number | undefined;
  sendObjectTo: string | undefined;
  epochs: number | undefined;
  maxEpochs: number | undefined;
  size: number | undefined;
  maxSize: number | undefined;
}

const i64 = { minimum: -(2 ** 63), maximum: 2 ** 63 };
const u32 = { minimum: 0, maximum: 2 ** 32 - 1 };
const u64 = { minimum: 0, maximum: 2 ** 64 };

type Claims = Readonly<Record<string, unknown>>;

/**
 * An optional whole number. `null` counts as absent, as in the real publisher. Throws 400 if it is out of range.
 */
function wholeNumberIn(claims: Claims, name: string, { minimum, maximum }: typeof i64): number | undefined {
  const value = claims[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum)
    return value;
  throw invalidToken(`the claim ${name} is not a whole number in its range`);
}

function addressOf(claims: Claims): string | undefined {
  const value = claims.send_object_to ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'string' && addressPattern.test(value)) return value.toLowerCase();
  throw invalidToken('the claim send_object_to is not an address of 0x and 64 hex digits');
}

/**
 * Parses the claims of a token and ignores unknown ones. Throws 400 `INVALID_TOKEN` if a claim is missing or has
 * the wrong type.
 */
export function parseClaims(claims: Claims): UploadClaims {
  const exp = wholeNumberIn(claims, 'exp', i64);
  if (exp === undefined || exp < 0) throw invalidToken('the token has no claim exp');
  const { jti } = claims;
  if (typeof jti !== 'string') throw invalidToken('the token has no claim jti');
  return {
    exp,
    jti,
    iat: wholeNumberIn(claims, 'iat', i64),
    sendObjectTo: addressOf(claims),
    epochs: wholeNumberIn(claims, 'epochs', u32),
    maxEpochs: wholeNumberIn(claims, 'max_epochs', u32),
    size: wholeNumberIn(claims, 'size', u64),
    maxSize: wholeNumberIn(claims, 'max_size', u64),
  };
}

/**
 * Whether a token names an audience. The real publisher rejects such tokens, so that a token for another service
 * cannot be used here. An `aud` of the wrong type counts as absent.
 */
export function namesAudience({ aud }: Claims): boolean {
  const names = Array.isArray(aud) ? aud : [aud];
  return names.every((name) => typeof name === 'string');
}
