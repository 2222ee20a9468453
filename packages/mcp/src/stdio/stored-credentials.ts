import { stat } from 'node:fs/promises';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { MemRelayError } from '@memrelay/sdk/errors';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';

/** The state of the credential file. `version` changes whenever the file is rewritten. */
export type Stored =
  | { state: 'absent'; version: '' }
  /** The file exists but cannot be used. Never treated as absent */
  | { state: 'unusable'; version: string; reason: string }
  | { state: 'present'; version: string; credentials: CredentialFile };

/** Reads the credential file, or returns `known` if the file has not changed. */
export async function readStored(known?: Stored): Promise<Stored> {
  const path = signInCredentialsPath();
  let version: string;
  try {
    const { ctimeMs, ino, size } = await stat(path);
    version = `${ino}.${ctimeMs}.${size}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'absent', version: '' };
    return { state: 'unusable', version: String(code), reason: `${path} cannot be read: ${code}.` };
  }
  if (known?.version === version) return known;
  try {
    return { state: 'present', version, credentials: await loadCredentials(path) };
  } catch (error) {
    if (!(error instanceof MemRelayError)) throw error;
    return { state: 'unusable', version, reason: error.message };
  }
}
