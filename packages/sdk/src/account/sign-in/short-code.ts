import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type SignInRequest, signInFragment } from './sign-in-request.ts';

/** Crockford's base 32: no I, L, O or U, so that no two characters look alike. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const characters = 8;
const salt = 'memrelay-sign-in-code-v1';
/**
 * Makes each guess expensive: otherwise an attacker could search 40 bits for another request with the same code within the
 * five minutes of a link.
 */
const iterations = 20_000;

/**
 * The short code of a sign-in, e.g. `7K3M-Q9TX`, which the tool and the page both show for the user to compare. It is derived
 * from the whole request, so a link from another tool has a different code. It is not secret.
 */
export function shortCode(request: SignInRequest): string {
  const bytes = pbkdf2(sha256, signInFragment(request), salt, { c: iterations, dkLen: (characters * 5) / 8 });
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  let code = '';
  for (let i = characters - 1; i >= 0; i--) code += alphabet[Number((bits >> BigInt(i * 5)) & 31n)];
  return `${code.slice(0, characters / 2)}-${code.slice(characters / 2)}`;
}
