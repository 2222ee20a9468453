import { addressPattern } from '@memrelay/protocol/address';
import { anyCaseHex32Pattern, toHex } from '@memrelay/protocol/bytes';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { MemRelayError } from './wire/errors.ts';
import { createSigner, parsePrivateKey } from './wire/signer.ts';
import type { MemRelayOptions } from './wire/types.ts';

/** The same fields as `credentialFileSchema` of the protocol, without its validation library. */
const rules: Record<keyof CredentialFile, [valid: (value: string) => boolean, expected: string]> = {
  delegatePrivateKey: [(value) => anyCaseHex32Pattern.test(value), '64 hex characters'],
  delegatePublicKey: [(value) => anyCaseHex32Pattern.test(value), '64 hex characters'],
  delegateAddress: [(value) => addressPattern.test(value), '0x and 64 hex characters'],
  walletAddress: [(value) => addressPattern.test(value), '0x and 64 hex characters'],
  accountId: [(value) => addressPattern.test(value), '0x and 64 hex characters'],
  packageId: [(value) => addressPattern.test(value), '0x and 64 hex characters'],
  relayerUrl: [
    (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    'an http or https URL',
  ],
  label: [() => true, 'text'],
  createdAt: [() => true, 'an RFC 3339 time'],
};

/**
 * Checks a parsed credential file. Throws `invalid_credentials` with the names of all invalid fields, but no values; `source` is
 * the name of the file in the message.
 */
export function checkCredentials(file: unknown, source = 'The credentials'): CredentialFile {
  const fields = (typeof file === 'object' && file !== null ? file : {}) as Record<string, unknown>;
  const problems = Object.entries(rules)
    .filter(([name, [valid]]) => {
      const value = fields[name];
      return typeof value !== 'string' || !valid(value);
    })
    .map(([name, [, expected]]) => `${name} must be ${expected}`);
  if (problems.length === 0) return fields as unknown as CredentialFile;
  throw new MemRelayError(
    'invalid_credentials',
    `${source} cannot be used: ${problems.join('; ')}. Sign in again to write a new file.`,
  );
}

/**
 * The options of a client with these credentials; `overrides` take precedence. Throws `invalid_credentials`, also if private
 * and public key do not match.
 */
export function credentialOptions(
  file: CredentialFile,
  overrides: Partial<MemRelayOptions>,
): MemRelayOptions {
  const credentials = checkCredentials(file);
  const { delegatePrivateKey: key, accountId, packageId, relayerUrl: serverUrl } = credentials;
  if (overrides.key === undefined && publicKeyOf(key) !== credentials.delegatePublicKey.toLowerCase())
    throw new MemRelayError(
      'invalid_credentials',
      'The credentials cannot be used: delegatePrivateKey and delegatePublicKey do not match. Sign in again to write a new file.',
    );
  return { key, accountId, packageId, serverUrl, ...overrides };
}

function publicKeyOf(privateKey: string): string {
  const signer = createSigner(parsePrivateKey(privateKey));
  signer.destroy();
  return toHex(signer.publicKey);
}
