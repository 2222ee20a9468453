import { randomUUID } from 'node:crypto';
import type { Db } from '../db/db.ts';

/** Work that is due now and then, and done by one relayer of all that share the database. */
export interface SharedTask {
  /** A lease until `settle`, if the work is due and not leased; `failures` counts consecutive failures */
  claim(): Promise<{ token: string; failures: number } | undefined>;
  /** Gives the lease back; the work is due again after `dueInMs` */
  settle(token: string, outcome: { dueInMs: number; failed: boolean }): Promise<void>;
  /** Makes the work due at once */
  hurry(): Promise<void>;
}

/** How long others wait for a process that died at it */
const standardLeaseMs = 30_000;

/** The lease is extended for as long as this process lives. Embedded, one that stands at the start is a dead process's. */
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
      // Also when it cannot be written: then others take over soon
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

/** How far work has come that goes through a table bit by bit, as it was last saved. */
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
