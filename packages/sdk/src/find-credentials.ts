import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { MemRelayError } from './wire/errors.ts';

/**
 * `#credentials` of this package on platforms without files, such as browsers. Always rejects with `invalid_credentials`.
 */
export function findCredentials(_path?: string): Promise<CredentialFile> {
  return Promise.reject(
    new MemRelayError(
      'invalid_credentials',
      'Credential files cannot be read on this platform. Pass the key to MemRelay.create, or the content of a credential file to MemRelay.fromCredentials.',
    ),
  );
}
