import type { TaskLoop } from '../base/concurrency/task-loop.ts';
import type { Loggers } from '../base/logging/loggers.ts';
import type { Config } from '../config/config.ts';
import { startStrays } from '../jobs/strays/start-strays.ts';
import { type BlobCheckOptions, startBlobChecks } from '../upkeep/missing/start-blob-checks.ts';
import { startRenewals } from '../upkeep/renewals/start-renewals.ts';
import { startRepacking } from '../upkeep/renewals/start-repacking.ts';

export interface UpkeepOptions
  extends Pick<BlobCheckOptions, 'db' | 'sidecar' | 'accounts' | 'aggregators' | 'blobCache' | 'wakeUpload'> {
  config: Pick<Config, 'renewals' | 'blobChecks' | 'quilts'>;
  /** Maximum number of memories in a quilt */
  maxItems: number;
  loggers: Pick<Loggers, 'jobs' | 'blobs'>;
}

/**
 * Starts the upkeep of stored memories: renewals, repacking of quilts with forgotten memories, checks for missing
 * blobs, and the search for blobs that were paid for twice.
 */
export async function startUpkeep({ config, loggers, ...parts }: UpkeepOptions): Promise<{
  close(): Promise<void>;
}> {
  const { perHour, graceMs } = config.blobChecks;
  const storesAgain = config.renewals.epochsLeft !== undefined;
  const tasks: TaskLoop[] = [
    await startRenewals({ ...parts, ...config.renewals, log: loggers.jobs }),
    await startRepacking({
      ...parts,
      times: { halfGoneMs: config.quilts.windowMs, atLatestMs: config.quilts.repackAfterMs },
      log: loggers.jobs,
    }),
  ];
  if (perHour !== undefined)
    tasks.push(await startBlobChecks({ ...parts, perHour, graceMs, storesAgain, log: loggers.blobs }));
  tasks.push(await startStrays({ ...parts, log: loggers.blobs }));
  return {
    async close() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
