import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findBinary, isExecutable } from './find-binary.ts';
import { CommandError, runCommand } from './run-command.mjs';

const oldestMajor = 15;
/** Older versions lack `halfvec` and distances of `bit`. */
const oldestPgvector: readonly [number, number] = [0, 7];

export interface PostgresInstall {
  /** Folder with `postgres` and `initdb`. */
  binDir: string;
  pgConfig: string;
  major: number;
  /** Version of the installed pgvector extension if it is new enough. */
  pgvector?: string;
}

/** The best Postgres (15 or newer) on this machine: those with pgvector first, then the newest. */
export async function findPostgres(): Promise<PostgresInstall | undefined> {
  const installs = await Promise.all([...new Set(binDirs())].map(inspect));
  return installs
    .filter((install) => install !== undefined)
    .sort(
      (a, b) => Number(b.pgvector !== undefined) - Number(a.pgvector !== undefined) || b.major - a.major,
    )[0];
}

function binDirs(): string[] {
  const fromPath = findBinary(['postgres']);
  return [
    ...versioned('/usr/lib/postgresql', /^\d+$/),
    ...versioned('/opt/homebrew/opt', /^postgresql(@\d+)?$/),
    ...versioned('/usr/local/opt', /^postgresql(@\d+)?$/),
    ...versioned('/usr', /^pgsql-\d+$/),
    ...(fromPath ? [dirname(fromPath)] : []),
  ];
}

function versioned(parent: string, name: RegExp): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .filter((entry) => name.test(entry))
    .map((entry) => join(parent, entry, 'bin'));
}

async function inspect(folder: string): Promise<PostgresInstall | undefined> {
  const pgConfig = isExecutable(join(folder, 'pg_config'))
    ? join(folder, 'pg_config')
    : findBinary(['pg_config']);
  if (!pgConfig) return undefined;
  try {
    const [version, binDir, shareDir, libDir] = (
      await runCommand(pgConfig, ['--version', '--bindir', '--sharedir', '--pkglibdir'])
    ).split('\n') as [string, string, string, string];
    const major = Number(/(\d+)/.exec(version)?.[1]);
    const complete = ['postgres', 'initdb'].every((name) => isExecutable(join(binDir, name)));
    if (!complete || !(major >= oldestMajor)) return undefined;
    const pgvector = pgvectorVersion(shareDir, libDir);
    return { binDir, pgConfig, major, ...(pgvector && { pgvector }) };
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

function pgvectorVersion(shareDir: string, libDir: string): string | undefined {
  const control = join(shareDir, 'extension', 'vector.control');
  const library = ['so', 'dylib', 'dll'].some((suffix) => existsSync(join(libDir, `vector.${suffix}`)));
  if (!library || !existsSync(control)) return undefined;
  const version = /^default_version\s*=\s*'([^']+)'/m.exec(readFileSync(control, 'utf8'))?.[1];
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [needMajor, needMinor] = oldestPgvector;
  return major > needMajor || (major === needMajor && minor >= needMinor) ? version : undefined;
}
