import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkModules } from './link-modules.ts';

/** The sources before the newest migration, with today's installed packages. */
export interface FormerVersion {
  commit: string;
  /** Main file of its relayer */
  relayerEntry: string;
  /** The migration that it does not know */
  newestMigration: string;
  remove(): void;
}

const repository = fileURLToPath(new URL('../../', import.meta.url));
const migrations = 'apps/relayer/migrations';

/**
 * Extracts the commit before the one that added the newest migration. Returns the reason if there is none: outside of a git
 * repository, in a shallow clone, or while the migration is not committed.
 */
export function extractFormerVersion(): FormerVersion | { missing: string } {
  const newestMigration = readdirSync(join(repository, migrations)).sort().at(-1)!;
  let commit: string;
  try {
    const added = git(
      'log',
      '-1',
      '--diff-filter=A',
      '--format=%H',
      '--',
      `${migrations}/${newestMigration}`,
    );
    if (added === '') return { missing: `${newestMigration} is not committed, or the clone is shallow` };
    commit = git('rev-parse', '--verify', '--quiet', `${added}^`);
  } catch {
    return { missing: 'there is no git history here' };
  }
  const folder = mkdtempSync(join(tmpdir(), 'memrelay-former-'));
  const archive = execFileSync('git', ['archive', '--format=tar', commit], {
    cwd: repository,
    maxBuffer: 1024 ** 3,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkModules(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return {
    commit,
    relayerEntry: join(folder, 'apps/relayer/src/main.ts'),
    newestMigration,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
