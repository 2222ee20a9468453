import type { Logger } from 'pino';
import type { TaskLoop } from '../base/concurrency/task-loop.ts';
import type { Db } from '../base/db/db.ts';
import type { Config } from '../config/config.ts';
import { startAlertSender } from '../jobs/alerts/alert-sender.ts';
import { startWalletWatch } from '../jobs/alerts/wallet-watch.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';

export interface Alerts {
  /** Posts alerts; undefined without ALERT_TO_SLACK, and then no alerts are recorded */
  sender: TaskLoop | undefined;
  close(): Promise<void>;
}

/** Starts the parts that notify the operator: the alert sender if a webhook is configured, and the wallet watch. */
export async function startAlerts(options: {
  config: Pick<Config, 'alerts' | 'network' | 'storeEpochs'>;
  db: Db;
  sidecar: SidecarClient;
  log: Logger;
}): Promise<Alerts> {
  const { config, db, sidecar, log } = options;
  const { webhookUrl, walletUploads } = config.alerts;
  const sender =
    webhookUrl === undefined
      ? undefined
      : await startAlertSender({ db, webhookUrl, network: config.network, log });
  const watch = await startWalletWatch({
    db,
    sidecar,
    storeEpochs: config.storeEpochs,
    alertUploads: walletUploads,
    alerts: sender,
    log,
  });
  return {
    sender,
    async close() {
      await watch.stop();
      await sender?.stop();
    },
  };
}
