import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { loadCredentials } from './credentials-node.ts';

/** `#credentials` of this package in Node: calls `loadCredentials`. */
export function findCredentials(path?: string): Promise<CredentialFile> {
  return loadCredentials(path);
}
