import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { checkCredentials } from './credentials.ts';
import { homeDirectory } from './data-dir-node.ts';

/** Where a sign-in keeps its credentials (spec, "Tool-server credential file"). */
export function signInCredentialsPath(home: string = homeDirectory()): string {
  return join(home, '.mem', 'credentials.json');
}

/**
 * Writes a credential file, 0600, in place of the one before: whole or not at all. Its directory is made 0700; an open
 * `.mem` is closed. Throws `invalid_credentials` on fields that no reader would take, and what the file system throws.
 */
export async function saveCredentials(path: string, credentials: CredentialFile): Promise<void> {
  const { ...fields } = checkCredentials(credentials);
  await writeSecretFile(path, `${JSON.stringify(fields, null, 2)}\n`);
  // Another directory is the user's own, and others may have reasons to read it
  if (path === signInCredentialsPath()) await chmod(dirname(path), 0o700);
}
