import type { Db } from '../base/db/db.ts';
import { migrationState } from '../base/db/migrate.ts';
import { bytesText, clockFinding, type Finding, failed, ok, skipped, warning } from './finding.ts';
import {
  invalidIndexes,
  oldestIdleTransaction,
  readDatabaseState,
  unvacuumedTables,
} from './rows/database-state.ts';

const oldestServer = 15;
const oldestVector = [0, 8];
/** Postgres warns at 40 million transactions before the limit of two billion; autovacuum starts at 200 million. */
const oldTransactions = 1_000_000_000;
const longMinutes = 10;

/** Checks an open database: versions, tables, indexes, vacuum, connections, clock. */
export async function databaseChecks(db: Db, now: () => number = Date.now): Promise<Finding[]> {
  const asked = now();
  const state = await readDatabaseState(db);
  const answered = now();
  const major = Math.floor(state.version / 10_000);
  const findings: Finding[] = [
    major >= oldestServer
      ? ok('database', `Postgres ${major}, ${bytesText(state.bytes)}`)
      : failed(
          'database',
          `Postgres ${major} is too old`,
          `upgrade the server to Postgres ${oldestServer} or newer`,
        ),
    extension(state.vector, state.available_vector),
    await migrations(db),
    await indexes(db),
    ...(await vacuum(db, state)),
  ];
  if (db.kind === 'pglite') return findings;
  const { connections, max_connections: most } = state;
  findings.push(
    connections > 0.8 * most
      ? warning(
          'connections',
          `${connections} of ${most} connections are in use`,
          'raise max_connections, or put fewer relayers and other clients on this server',
        )
      : ok('connections', `${connections} of ${most} in use`),
    clockFinding('the database', (asked + answered) / 2 - state.unix_ms, (answered - asked) / 2),
  );
  return findings;
}

function extension(installed: string | null, available: string | null): Finding {
  const check = 'vector_extension';
  if (installed === null)
    return failed(
      check,
      available === null ? 'pgvector is not installed on the server' : 'the database does not have it yet',
      available === null
        ? `install pgvector ${oldestVector.join('.')} or newer (Debian: postgresql-17-pgvector)`
        : 'run CREATE EXTENSION vector in this database as a superuser',
    );
  const [major = 0, minor = 0] = installed.split('.').map(Number);
  const [needMajor = 0, needMinor = 0] = oldestVector;
  const update = 'run ALTER EXTENSION vector UPDATE in this database as its owner';
  if (major < needMajor || (major === needMajor && minor < needMinor))
    return failed(
      check,
      `pgvector ${installed} is older than ${oldestVector.join('.')}`,
      `install a newer package, then ${update}`,
    );
  if (available !== null && available !== installed)
    return warning(check, `pgvector ${installed}, while the server has ${available}`, update);
  return ok(check, `pgvector ${installed}`);
}

async function migrations(db: Db): Promise<Finding> {
  const { pending, unknown, changed } = await migrationState(db);
  if (unknown.length > 0)
    return failed(
      'migrations',
      `the tables belong to a newer version (${unknown.at(-1)})`,
      'install that version; older ones cannot use these tables',
    );
  if (changed.length > 0)
    return failed(
      'migrations',
      `${changed.join(', ')} was changed after it was applied`,
      'install the package again; files of a release never change',
    );
  return pending.length === 0
    ? ok('migrations', 'up to date')
    : warning(
        'migrations',
        `${pending.join(', ')} not applied yet`,
        'run memrelay relayer migrate, or start a relayer',
      );
}

async function indexes(db: Db): Promise<Finding> {
  const invalid = await invalidIndexes(db);
  return invalid.length === 0
    ? ok('indexes', 'all are valid')
    : failed(
        'indexes',
        `${invalid.join(', ')} cannot be used`,
        `run ${invalid.map((name) => `REINDEX INDEX CONCURRENTLY ${name};`).join(' ')}`,
      );
}

async function vacuum(db: Db, state: { autovacuum: string; transaction_age: number }): Promise<Finding[]> {
  // PGlite has no autovacuum: the relayer vacuums
  if (db.kind === 'pglite') return [skipped('vacuum', 'the relayer vacuums an embedded database itself')];
  const found: Finding[] = [];
  if (state.autovacuum !== 'on')
    found.push(failed('vacuum', 'autovacuum is off', 'set autovacuum = on in postgresql.conf and reload it'));
  if (state.transaction_age > oldTransactions)
    found.push(
      failed(
        'vacuum',
        `the oldest rows have not been frozen for ${Math.round(state.transaction_age / 1e6)} million transactions`,
        'run VACUUM (FREEZE), and end what holds it back: idle transactions, unused replication slots',
      ),
    );
  for (const { name, dead, live, enabled } of await unvacuumedTables(db))
    found.push(
      enabled
        ? warning(
            'vacuum',
            `${name} has ${dead} deleted rows and ${live} others`,
            `run VACUUM (ANALYZE) ${name}; if it recurs, lower autovacuum_vacuum_scale_factor for this table`,
          )
        : failed(
            'vacuum',
            `autovacuum is off for ${name}`,
            `run ALTER TABLE ${name} RESET (autovacuum_enabled)`,
          ),
    );
  const minutes = await oldestIdleTransaction(db);
  if (minutes > longMinutes)
    found.push(
      warning(
        'vacuum',
        `a transaction has been idle for ${Math.round(minutes)} minutes`,
        'find it in pg_stat_activity and end it; set idle_in_transaction_session_timeout',
      ),
    );
  return found.length > 0 ? found : [ok('vacuum', 'autovacuum keeps up')];
}
