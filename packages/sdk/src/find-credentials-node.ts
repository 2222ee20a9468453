import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { loadCredentials } from './credentials-node.ts';

/** What `#credentials` of this package is in Node: `loadCredentials`. */
export function findCredentials(path?: string): Promise<CredentialFile> {
  return loadCredentials(path);
}
