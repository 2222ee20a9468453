import { join } from 'node:path';
import { isLoopbackHost } from '@memrelay/protocol/loopback-host';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { readPrivateFile } from './credentials-node.ts';
import { homeDirectory } from './data-dir-node.ts';
import { MemRelayError } from './wire/errors.ts';

/**
 * The relayers, by origin, that the user has approved for calls with credentials of another relayer (security.md "Tools,
 * sign-in, pages"). The file is in the directory of the credentials.
 */
export function trustPath(home: string = homeDirectory()): string {
  return join(home, '.mem', 'trusted.json');
}

/** The approved origins; none if the file does not exist. Throws `invalid_credentials` for a file that cannot be trusted. */
export async function readTrustedOrigins(path: string = trustPath()): Promise<string[]> {
  const text = await readPrivateFile(path, false);
  if (text === undefined) return [];
  const origins = parse(text)?.origins;
  if (Array.isArray(origins) && origins.every((origin) => typeof origin === 'string' && URL.canParse(origin)))
    return origins;
  throw new MemRelayError(
    'invalid_credentials',
    `${path} cannot be used: it must contain {"origins": [URL, …]}. Delete it and approve again with: npx memrelay trust URL`,
  );
}

/** Approves an origin. Returns false if it was already approved. */
export async function trustOrigin(origin: string, path: string = trustPath()): Promise<boolean> {
  const origins = await readTrustedOrigins(path);
  if (origins.includes(origin)) return false;
  await save(path, [...origins, origin].sort());
  return true;
}

/** Removes an approval. Returns false if there was none. */
export async function distrustOrigin(origin: string, path: string = trustPath()): Promise<boolean> {
  const origins = await readTrustedOrigins(path);
  if (!origins.includes(origin)) return false;
  await save(
    path,
    origins.filter((other) => other !== origin),
  );
  return true;
}

/** Whether this URL points to this machine, so that nothing sent to it leaves the machine. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

function parse(text: string): { origins?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function save(path: string, origins: readonly string[]): Promise<void> {
  return writeSecretFile(path, `${JSON.stringify({ origins }, null, 2)}\n`);
}
