import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { checkCredentials } from './credentials.ts';
import { dataDir } from './data-dir-node.ts';
import { signInCredentialsPath } from './save-credentials-node.ts';
import { MemRelayError } from './wire/errors.ts';

export interface LoadCredentialsOptions {
  /** Accept a file that others can read, e.g. a secret mounted read-only into a container */
  allowOpenPermissions?: boolean;
}

/** Where credentials are searched, in order: those of a sign-in, then those of the local system. */
export function credentialPaths(): string[] {
  return [signInCredentialsPath(), join(dataDir(), 'credentials.json')];
}

/**
 * Reads the credential file at `path`, otherwise the first of `credentialPaths()` that exists, for
 * `MemRelay.fromCredentials`. Throws `invalid_credentials` if there is none, if it is unreadable or malformed (it
 * never falls back to the next one), or if other users could read it.
 */
export async function loadCredentials(
  path?: string,
  options: LoadCredentialsOptions = {},
): Promise<CredentialFile> {
  const paths = path === undefined ? credentialPaths() : [path];
  for (const candidate of paths) {
    const text = await readPrivateFile(candidate, options.allowOpenPermissions ?? false);
    if (text !== undefined) return checkCredentials(parse(text, candidate), candidate);
  }
  throw new MemRelayError(
    'invalid_credentials',
    `No credentials at ${paths.join(' or ')}. Start a local system with \`memrelay up\`, sign in, or pass the path of a file.`,
  );
}

/**
 * The text of a file that only its owner may read; undefined if it does not exist. Throws `invalid_credentials` if others can
 * read it, or if it cannot be read.
 */
export async function readPrivateFile(
  path: string,
  allowOpenPermissions: boolean,
): Promise<string | undefined> {
  try {
    await using file = await open(path, 'r');
    const info = await file.stat();
    if (info.isDirectory())
      throw new MemRelayError('invalid_credentials', `${path} is a directory. Move it away.`);
    // Windows has no permission bits; there the profile directory protects the file.
    if (process.platform !== 'win32' && (info.mode & 0o077) !== 0 && !allowOpenPermissions)
      throw new MemRelayError(
        'invalid_credentials',
        `${path} must be private, but other users can read or change it (mode ${(info.mode & 0o777).toString(8)}). Run: chmod 600 ${path}`,
      );
    return await file.readFile('utf8');
  } catch (error) {
    if (error instanceof MemRelayError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return undefined;
    throw new MemRelayError('invalid_credentials', `${path} cannot be read: ${code}.`, { cause: error });
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's message, which quotes the text and thus the key.
    throw new MemRelayError(
      'invalid_credentials',
      `${path} is not valid JSON. Sign in again to write a new file, or delete it.`,
    );
  }
}
