import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@memrelay/process/free-ports';
import { Client } from 'pg';
import { findPostgres } from './find-postgres.ts';
import { type Account, startGuarded } from './guarded-process.ts';
import { CommandError, runCommand } from './run-command.mjs';
import { type PreparedService, type RunningService, untilReady } from './service.ts';

/**
 * Starts a Postgres with pgvector for this process alone, on a free loopback port, without a password. Its settings
 * are the defaults (`fsync` included, so that durability is the same as in production), except for small buffers and
 * room for many test connections. The URL is the superuser's, on database `postgres`. Throws when no Postgres with
 * pgvector is installed or it does not start.
 */
export async function startPostgres(): Promise<RunningService> {
  const { command, url, isReady } = await preparePostgres();
  const service = startGuarded(command);
  await untilReady('postgres', service, isReady);
  return { url, stop: service.stop };
}

/** Creates the folder of such a Postgres without starting it. Throws when none is installed. */
export async function preparePostgres(): Promise<PreparedService> {
  const install = await findPostgres();
  if (!install?.pgvector) throw new Error('no Postgres 15 or newer with pgvector is installed');
  const account = unprivilegedAccount();
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-postgres-'));
  if (account) chownSync(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const port = await freePort();
  try {
    await runCommand(
      join(install.binDir, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
      { cwd: directory, ...account },
    );
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    if (error instanceof CommandError) throw new Error(`${error.message}\n${error.output}`);
    throw error;
  }
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    command: {
      command: join(install.binDir, 'postgres'),
      args: ['-D', data, ...settings(port).flatMap((setting) => ['-c', setting])],
      directory,
      logFile: join(directory, 'log'),
      // Postgres's fast shutdown: open connections are ended.
      stopSignal: 'SIGINT',
      account,
    },
    url,
    isReady: () => accepts(url),
  };
}

function settings(port: number): string[] {
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=64MB',
    'max_connections=300',
  ];
}

async function accepts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

const unprivilegedUsers = ['postgres', 'nobody'];

/** The account to run Postgres with; undefined if this process is not root and can run Postgres itself. */
function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = unprivilegedUsers.flatMap((wanted) => users.filter(([name]) => name === wanted))[0];
  if (!user)
    throw new Error(
      `Postgres does not run as root, and no account to run it exists (${unprivilegedUsers.join(', ')})`,
    );
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
