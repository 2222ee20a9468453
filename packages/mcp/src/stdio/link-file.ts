import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { homeDirectory } from '@memrelay/sdk/data-dir-node';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';

/** A file that redirects the browser to a link. */
export interface LinkFile {
  path: string;
  /** Synchronous: the process may be about to exit */
  remove(): void;
}

/** Age in ms after which a file is removed: twice as long as a link is valid. */
const staleMs = 600_000;

/**
 * Writes an HTML page, readable only by its owner, that redirects to `url` at once.
 *
 * A file is used because every user of the machine can read the arguments of a process, and the command that opens a browser
 * gets the address as an argument. A one-time page on a loopback port would not help, because any local user could read its
 * address from the arguments and connect first. A path is useless without the permission to read the file.
 */
export async function writeLinkFile(url: string): Promise<LinkFile> {
  const folder = linkFolder();
  removeStale(folder);
  const path = join(folder, `sign-in-${randomBytes(8).toString('hex')}.html`);
  await writeSecretFile(path, pageTo(url));
  return {
    path,
    remove() {
      rmSync(path, { force: true });
      removeIfEmpty(folder);
    },
  };
}

/** Not hidden if browsers may be snaps, which cannot read hidden directories of the home. */
function linkFolder(): string {
  const home = homeDirectory();
  return existsSync(join(home, 'snap')) ? join(home, 'memrelay-sign-in') : dirname(signInCredentialsPath());
}

/** Removes files left behind by a killed process; their links have expired. */
function removeStale(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!/^sign-in-[0-9a-f]{16}\.html$/.test(name)) continue;
    const path = join(folder, name);
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (modified !== undefined && Date.now() - modified > staleMs) rmSync(path, { force: true });
  }
}

function removeIfEmpty(folder: string): void {
  if (folder === dirname(signInCredentialsPath())) return;
  try {
    rmdirSync(folder);
  } catch {
    // Another sign-in uses it, or it is already gone
  }
}

function pageTo(url: string): string {
  const escaped = url.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>memrelay sign-in</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${escaped}">
</head>
<body><p><a href="${escaped}">Continue to the sign-in page</a></p></body>
</html>
`;
}
