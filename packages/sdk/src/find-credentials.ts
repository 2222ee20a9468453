import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { MemRelayError } from './wire/errors.ts';

/**
 * What `#credentials` of this package is where there are no files, such as in browsers. Always rejects with
 * `invalid_credentials`.
 */
export function findCredentials(_path?: string): Promise<CredentialFile> {
  return Promise.reject(
    new MemRelayError(
      'invalid_credentials',
      'There are no credential files here. Pass the key to MemRelay.create, or the content of a credential file to MemRelay.fromCredentials.',
    ),
  );
}
