import { setTimeout as pause } from 'node:timers/promises';
import { endLeases } from '../../src/pass-time.ts';
import { between, type Random } from '../../src/seeded-random.ts';
import { sidecarPidOf, type UploadWorld } from './upload-world.ts';

export type Victim = 'sidecar' | 'relayer';

/** A job's row in the database when a process was killed. */
export interface JobAtKill {
  /** The last checkpoint that was written */
  reached: string | null;
  /** Whether a process was working on it, according to its lease */
  leased: boolean;
}

export interface Kill {
  number: number;
  victim: Victim;
  /** Index of the relayer that was killed or whose sidecar was killed */
  relayer: number;
  atMs: number;
  done: number;
  /** Jobs that were started and not finished, by id */
  underWay: Map<string, JobAtKill>;
}

export interface KillPlan {
  kills: number;
  memories: number;
  victims: readonly Victim[];
  /** See `freesLeases` of a kill */
  freesLeases: boolean;
  random: Random;
  /** Sends this number of further memories and waits until they are accepted */
  accept: (count: number) => Promise<void>;
  /** Called once, when half of the kills are done and uploads are running */
  atHalf: () => Promise<void>;
  onProgress: (line: string) => void;
}

const maxDelayMs = 300;
const pollMs = 20;
/** Timeout for progress: several lease durations */
const patienceMs = 120_000;

/**
 * Kills processes with SIGKILL while uploads are running. There is one batch of memories per kill. The kill happens at a random
 * moment after some memories of the batch are done. Returns when everything runs again.
 */
export async function killDuringUploads(world: UploadWorld, plan: KillPlan): Promise<Kill[]> {
  const { random, memories, kills: count } = plan;
  const kills: Kill[] = [];
  let accepted = 0;
  for (let number = 1; number <= count; number++) {
    const portion = Math.floor((memories * number) / count) - accepted;
    const enough = (await doneCount(world)) + Math.floor(random() * portion * 0.6);
    const delayMs = random() * maxDelayMs;
    const victim = plan.victims[between(random, 0, plan.victims.length - 1)]!;
    const relayer = between(random, 0, world.relayers.length - 1);
    await plan.accept(portion);
    accepted += portion;
    await untilUnderWay(world);
    if (number === Math.ceil(count / 2)) await plan.atHalf();
    await until(async () => (await doneCount(world)) >= enough);
    await pause(delayMs);
    const made = await kill(world, { number, victim, relayer, freesLeases: plan.freesLeases });
    kills.push(made);
    plan.onProgress(
      `kill ${number} of ${count} (${victim}): ${made.done} of ${accepted} done, ${leasedOf(made)} under way`,
    );
  }
  return kills;
}

/** Number of jobs that a process was working on at the kill. */
export const leasedOf = ({ underWay }: Kill): number =>
  [...underWay.values()].filter(({ leased }) => leased).length;

interface KillOptions extends Pick<Kill, 'number' | 'victim' | 'relayer'> {
  /** Frees the relayer's leases immediately instead of waiting for their end; only for a single relayer */
  freesLeases: boolean;
}

/** Kills one process and restarts the relayer as its platform would. */
export async function kill(
  world: UploadWorld,
  { number, victim, relayer, freesLeases }: KillOptions,
): Promise<Kill> {
  const target = world.relayers[relayer]!;
  const victimPid = victim === 'sidecar' ? await sidecarPidOf(target) : target.part().pid;
  const [done, underWay] = await Promise.all([doneCount(world), jobsUnderWay(world)]);
  const atMs = Date.now();
  // A relayer without its sidecar stops, so that its platform restarts it
  process.kill(victimPid, 'SIGKILL');
  await target.part().ended;
  if (freesLeases) await endLeases(target);
  await target.start();
  return { number, victim, relayer, atMs, done, underWay };
}

export async function doneCount({ database }: UploadWorld): Promise<number> {
  const { rows } = await database.query("SELECT count(*)::int AS done FROM memory_job WHERE status = 'done'");
  return rows[0].done;
}

/** Jobs whose upload was started and has not ended, by id. */
async function jobsUnderWay({ database }: UploadWorld): Promise<Map<string, JobAtKill>> {
  const { rows } = await database.query<{ id: string } & JobAtKill>(
    `SELECT id, checkpoint->>'reached' AS reached, coalesce(lease_until > now(), false) AS leased FROM memory_job
     WHERE status = 'running' AND upload_claims > 0`,
  );
  return new Map(rows.map(({ id, ...job }) => [id, job]));
}

const untilUnderWay = (world: UploadWorld): Promise<void> =>
  until(async () => {
    const begun = "SELECT 1 FROM memory_job WHERE upload_claims > 0 AND status = 'running'";
    return (await world.database.query(begun)).rowCount !== 0;
  });

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await condition()); await pause(pollMs))
    if (Date.now() > deadline) throw new Error(`no progress for ${patienceMs / 1000} seconds`);
}
