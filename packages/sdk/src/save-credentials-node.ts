import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { checkCredentials } from './credentials.ts';
import { homeDirectory } from './data-dir-node.ts';

/** Path of the credentials of a sign-in (spec, "Tool-server credential file"). */
export function signInCredentialsPath(home: string = homeDirectory()): string {
  return join(home, '.mem', 'credentials.json');
}

/**
 * Replaces a credential file atomically, with mode 0600. Creates its directory with mode 0700, and restricts an existing
 * `.mem` to that. Throws `invalid_credentials` for fields that no reader would accept, and file system errors.
 */
export async function saveCredentials(path: string, credentials: CredentialFile): Promise<void> {
  const { ...fields } = checkCredentials(credentials);
  await writeSecretFile(path, `${JSON.stringify(fields, null, 2)}\n`);
  // Leave other directories alone: the user may have shared them on purpose
  if (path === signInCredentialsPath()) await chmod(dirname(path), 0o700);
}
