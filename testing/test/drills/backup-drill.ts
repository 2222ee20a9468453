import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMemrelay } from '../../src/memrelay-command.ts';
import { type RawRequest, rawRequest } from '../../src/raw-request.ts';
import { findPostgres } from '../../src/services/find-postgres.ts';
import { runCommand } from '../../src/services/run-command.mjs';
import type { TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';
import { countFound, namespacesOf } from './count-found.ts';
import { type Acknowledged, startSteadyWriter } from './steady-writer.ts';

/** An empty database and an empty nonce store. */
export interface EmptyMachine extends Pick<TestBackend, 'databaseUrl' | 'redisUrl'> {
  drop(): Promise<void>;
}

export interface BackupDrillOptions {
  /** A machine without data; called three times */
  emptyMachine: () => Promise<EmptyMachine>;
  keys: TestBackend['keys'];
  /** Memories that are acknowledged before the backup begins */
  memories: number;
  /** The value of `--stopped-at`, given when the relayer was killed. Later refuses requests for longer. */
  stoppedAt: (killedAt: Date) => Date;
  note: (line: string) => void;
}

export interface BackupDrillResult {
  /** Acknowledged before the backup began */
  beforeBackup: number;
  /** Acknowledged later, until the relayer was killed, and how many of them were stored by then */
  afterBackup: { acknowledged: number; stored: number };
  dump: { seconds: number; bytes: number };
  /** From the backup: seconds until the first recall, and what is missing */
  fromBackup: { seconds: number; lost: number; duplicates: number };
  /** After a restore from the chain on top of the backup: what is missing of everything that was stored */
  withChain: { lost: number; duplicates: number };
  /** From the chain alone, into an empty database */
  fromChain: { seconds: number; lost: number; duplicates: number };
  /** Requests that were accepted before the disaster and sent again afterwards, by their status */
  replays: Record<string, number>;
}

/**
 * Runs a relayer under writes, takes a backup, kills the relayer, and restores on an empty machine: from the backup, then
 * from the chain in addition, then on another machine from the chain alone.
 */
export async function runBackupDrill(options: BackupDrillOptions): Promise<BackupDrillResult> {
  const { emptyMachine, keys, note } = options;
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'memrelay-drill-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const binDir = (await findPostgres())!.binDir;
  const network = cleanup.adopt(await startTestNetwork(), (each) => each.close());
  const owner = await createTestOwner(network);
  const newMachine = async () => cleanup.adopt(await emptyMachine(), (each) => each.drop());
  const start = async (machine: EmptyMachine): Promise<TestRelayer> =>
    cleanup.adopt(await startTestRelayer(network, { ...machine, keys }), (each) => each.stop());

  const first = await newMachine();
  const relayer = await start(first);
  const writer = startSteadyWriter(owner.client(relayer.url));
  await writer.reached(options.memories);
  const requests = [await acceptedRequest(relayer.url, owner, 'before')];
  const before = [...writer.acknowledged];
  note(`${before.length} memories are acknowledged; backing up while more are written`);
  const dumpFile = join(folder, 'memrelay.dump');
  const dumping = performance.now();
  await runCommand(join(binDir, 'pg_dump'), ['--format=custom', `--file=${dumpFile}`, first.databaseUrl]);
  const dump = { seconds: since(dumping), bytes: (await stat(dumpFile)).size };
  await writer.reached(writer.acknowledged.length + Math.ceil(options.memories / 4));
  requests.push(await acceptedRequest(relayer.url, owner, 'after'));
  await relayer.kill();
  const killedAt = new Date();
  await writer.stop();
  const all = [...writer.acknowledged];
  const stored = all.filter((memory) => memory.stored);
  note(`the relayer is gone; ${all.length} memories were acknowledged, ${stored.length} stored`);

  const prepare = async ({ databaseUrl }: EmptyMachine): Promise<void> => {
    const stoppedAt = options.stoppedAt(killedAt).toISOString();
    const environment = { DATABASE_URL: databaseUrl };
    const end = await runMemrelay(['relayer', 'after-restore', '--stopped-at', stoppedAt], environment);
    if (end.code !== 0) throw new Error(`after-restore failed: ${end.stderr}`);
    note(end.stdout.trim());
  };

  const second = await newMachine();
  const restoring = performance.now();
  await runCommand(join(binDir, 'pg_restore'), [
    '--exit-on-error',
    '--no-owner',
    `--dbname=${second.databaseUrl}`,
    dumpFile,
  ]);
  await prepare(second);
  const restored = await start(second);
  const replays: Record<string, number> = {};
  for (const request of requests) {
    const { status, body } = await rawRequest(restored.url, owner.delegate, request);
    const key = `${status} ${body.error ?? 'accepted'}`;
    replays[key] = (replays[key] ?? 0) + 1;
  }
  const backupJobs = before.map(({ jobId }) => jobId);
  const fromBackup = await recallAll(restored.url, owner, before, (client) =>
    client.waitForJobs(backupJobs, { timeoutMs: 600_000 }),
  );
  const backupSeconds = since(restoring);
  const withChain = await recallAll(restored.url, owner, stored, restoreAll(stored));
  note('restored from the backup, then from the chain');

  const third = await newMachine();
  const rebuilding = performance.now();
  await prepare(third);
  const rebuilt = await start(third);
  const fromChain = await recallAll(rebuilt.url, owner, stored, restoreAll(stored));
  note('restored from the chain alone');
  const afterBackup = all.slice(before.length);
  return {
    beforeBackup: before.length,
    afterBackup: {
      acknowledged: afterBackup.length,
      stored: afterBackup.filter((memory) => memory.stored).length,
    },
    dump,
    fromBackup: { seconds: backupSeconds, ...fromBackup },
    withChain,
    fromChain: { seconds: since(rebuilding), ...fromChain },
    replays,
  };
}

const since = (started: number): number => Math.round(performance.now() - started) / 1000;

/** A request that the relayer accepts now, to be sent again with the same nonce and signature. */
async function acceptedRequest(url: string, owner: TestOwner, label: string): Promise<RawRequest> {
  const request: RawRequest = {
    path: '/api/remember',
    body: { text: `A request ${label} the backup.`, namespace: 'requests' },
    accountId: owner.accountId,
    nonce: randomUUID(),
    timestamp: Math.floor(Date.now() / 1000),
  };
  const { status } = await rawRequest(url, owner.delegate, request);
  if (status !== 202) throw new Error(`the request was answered with ${status}`);
  return request;
}

type Client = ReturnType<TestOwner['client']>;

/** Does `first`, then recalls everything and compares it with what is expected. */
async function recallAll(
  url: string,
  owner: TestOwner,
  expected: readonly Acknowledged[],
  first: (client: Client) => Promise<unknown>,
): Promise<{ lost: number; duplicates: number }> {
  // A relayer after a restore refuses requests for a while, and says for how long
  const client = owner.client(url, { timeoutMs: 400_000, maxAttempts: 100 });
  try {
    await first(client);
    return await countFound(client, expected);
  } finally {
    client.destroy();
  }
}

const restoreAll = (memories: readonly Acknowledged[]) => async (client: Client) => {
  for (const namespace of namespacesOf(memories)) await client.restore({ namespace });
};
