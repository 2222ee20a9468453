import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptHas, aptInstall } from './apt.ts';
import { fetchDebianSource } from './debian-source.ts';
import type { PostgresInstall } from './find-postgres.ts';
import { withProgress } from './progress.mjs';
import { runCommand } from './run-command.mjs';

/** The first Debian release with a pgvector package, whose source also builds on older releases. */
const sourceSuite = 'trixie';

/** Installs the distribution's package, if it has one. It may be too old: check the version afterwards. */
export async function installPgvectorPackage(postgres: PostgresInstall): Promise<void> {
  const name = `postgresql-${postgres.major}-pgvector`;
  if (await aptHas(name)) await aptInstall([name]);
}

/** Builds pgvector from Debian's source package for this Postgres and installs it. Needs root. */
export async function buildPgvector(postgres: PostgresInstall): Promise<void> {
  await aptInstall([`postgresql-server-dev-${postgres.major}`, 'build-essential', 'debian-archive-keyring']);
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-pgvector-'));
  try {
    await withProgress('Building pgvector from its Debian source package', async () => {
      const source = await fetchDebianSource('pgvector', sourceSuite, directory);
      const make = (args: string[]) =>
        // Without optimisation for this processor (OPTFLAGS), and without LLVM bitcode, which is optional and slow to build
        runCommand('make', [...args, `PG_CONFIG=${postgres.pgConfig}`, 'OPTFLAGS=', 'with_llvm=no'], {
          cwd: source,
        });
      await make([`--jobs=${availableParallelism()}`]);
      await make(['install']);
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
