import { pruneGrants } from '../api/rows/grant-rows.ts';
import type { Db } from '../base/db/db.ts';
import { startVacuum } from '../base/db/vacuum.ts';
import type { Loggers } from '../base/logging/loggers.ts';
import { startPeriodicTasks } from '../base/periodic-tasks.ts';
import type { Config } from '../config/config.ts';
import { dropKeywords } from '../index/rows/drop-keywords.ts';
import type { Idempotency } from '../jobs/queue/idempotency.ts';
import { pruneFormerBlobs } from '../jobs/rows/forgotten-objects.ts';
import { pruneJobs } from '../jobs/rows/prune-jobs.ts';
import { pruneDeletions } from '../memories/rows/resident-rows.ts';
import { pruneDeliveries } from '../webhooks/rows/delivery-rows.ts';
import type { CloseStack } from './close-stack.ts';

/** Starts the tasks that delete obsolete rows; the embedded database is also vacuumed. */
export function startMaintenance(
  opened: CloseStack,
  options: {
    db: Db;
    config: Pick<Config, 'jobs' | 'blindIndex'>;
    idempotency: Idempotency;
    loggers: Loggers;
  },
): void {
  const { db, config, idempotency, loggers } = options;
  const { keepDoneDays } = config.jobs;
  const tasks = startPeriodicTasks(
    {
      idempotency: idempotency.purge,
      formerBlobs: () => pruneFormerBlobs(db),
      deletions: () => pruneDeletions(db),
      grants: () => pruneGrants(db, Date.now()),
      webhooks: () => pruneDeliveries(db),
      ...(config.blindIndex ? {} : { keywords: () => dropKeywords(db) }),
      ...(keepDoneDays === undefined ? {} : { jobs: () => pruneJobs(db, keepDoneDays) }),
    },
    loggers.database,
  );
  opened.push(() => tasks.stop());
  if (db.kind === 'pglite') {
    const vacuum = startVacuum(db, loggers.database);
    opened.push(() => vacuum.stop());
  }
}
