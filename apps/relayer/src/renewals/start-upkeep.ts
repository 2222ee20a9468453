import type { Config } from '../config/config.ts';
import type { Loggers } from '../logging/loggers.ts';
import { type BlobCheckOptions, startBlobChecks } from '../missing/start-blob-checks.ts';
import type { TaskLoop } from '../tasks/shared-task.ts';
import { startRenewals } from './start-renewals.ts';

export interface UpkeepOptions
  extends Pick<BlobCheckOptions, 'db' | 'sidecar' | 'accounts' | 'aggregators' | 'blobCache' | 'wakeUpload'> {
  config: Pick<Config, 'renewals' | 'blobChecks'>;
  loggers: Pick<Loggers, 'jobs' | 'blobs'>;
}

/** Starts what keeps stored memories readable: renewals, and the look whether their blobs are still there. */
export async function startUpkeep({ config, loggers, ...parts }: UpkeepOptions): Promise<{
  close(): Promise<void>;
}> {
  const { perHour, graceMs } = config.blobChecks;
  const storesAgain = config.renewals.epochsLeft !== undefined;
  const tasks: TaskLoop[] = [await startRenewals({ ...parts, ...config.renewals, log: loggers.jobs })];
  if (perHour !== undefined)
    tasks.push(await startBlobChecks({ ...parts, perHour, graceMs, storesAgain, log: loggers.blobs }));
  return {
    async close() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
