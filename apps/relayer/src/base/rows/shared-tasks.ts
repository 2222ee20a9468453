import { randomUUID } from 'node:crypto';
import type { Db } from '../db/db.ts';

/** Recurring work that only one of the relayers sharing a database does at a time. */
export interface SharedTask {
  /** A lease until `settle`, if the work is due and not leased; `failures` counts consecutive failures */
  claim(): Promise<{ token: string; failures: number } | undefined>;
  /** Gives the lease back; the work is due again after `dueInMs` */
  settle(token: string, outcome: { dueInMs: number; failed: boolean }): Promise<void>;
  /** Makes the work due at once */
  hurry(): Promise<void>;
}

/** How long other relayers wait after a process died during the work */
const standardLeaseMs = 30_000;

/** The lease is extended while this process runs. In the embedded database, a lease found at boot is from a dead process. */
export async function createSharedTask(db: Db, name: string, leaseMs = standardLeaseMs): Promise<SharedTask> {
  const extending = new Map<string, NodeJS.Timeout>();
  await db.query('INSERT INTO shared_task (name) VALUES ($1) ON CONFLICT (name) DO NOTHING', [name]);
  if (db.kind === 'pglite')
    await db.query('UPDATE shared_task SET lease_token = NULL, lease_until = NULL WHERE name = $1', [name]);
  return {
    async claim() {
      const token = randomUUID();
      const { rows } = await db.query<{ failures: number }>(
        `UPDATE shared_task SET lease_token = $2, lease_until = now() + make_interval(secs => $3)
         WHERE name = $1 AND due_at <= now() AND (lease_until IS NULL OR lease_until < now())
         RETURNING failures`,
        [name, token, leaseMs / 1000],
      );
      if (!rows[0]) return undefined;
      const extend = (): void => {
        db.query(
          'UPDATE shared_task SET lease_until = now() + make_interval(secs => $3) WHERE name = $1 AND lease_token = $2',
          [name, token, leaseMs / 1000],
        ).catch(() => undefined);
      };
      extending.set(token, setInterval(extend, leaseMs / 3).unref());
      return { token, failures: rows[0].failures };
    },
    async settle(token, { dueInMs, failed }) {
      // Even if saving fails: the lease then expires and others take over
      clearInterval(extending.get(token));
      extending.delete(token);
      await db.query(
        `UPDATE shared_task SET lease_token = NULL, lease_until = NULL, due_at = now() + make_interval(secs => $3),
           failures = CASE WHEN $4 THEN failures + 1 ELSE 0 END
         WHERE name = $1 AND lease_token = $2`,
        [name, token, dueInMs / 1000, failed],
      );
    },
    async hurry() {
      await db.query('UPDATE shared_task SET due_at = now() WHERE name = $1 AND due_at > now()', [name]);
    },
  };
}

/** The last saved position of work that goes through a table in steps. */
export async function taskPosition(db: Db, name: string): Promise<string | undefined> {
  const { rows } = await db.query<{ position: string | null }>(
    'SELECT position FROM shared_task WHERE name = $1',
    [name],
  );
  return rows[0]?.position ?? undefined;
}

export async function savePosition(db: Db, name: string, position: string): Promise<void> {
  await db.query('UPDATE shared_task SET position = $2 WHERE name = $1', [name, position]);
}
