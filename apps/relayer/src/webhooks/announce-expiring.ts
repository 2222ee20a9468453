import type { Db } from '../base/db/db.ts';
import { noteWebhookEvent } from './rows/delivery-rows.ts';
import { type ExpiringMemory, expiringByEpoch, expiringByTime, markAnnounced } from './rows/expiring-rows.ts';
import { accountsListening } from './rows/webhook-rows.ts';

export interface ExpiringParts {
  db: Db;
  storageTime: {
    /** Undefined if it cannot be read now */
    tariff(): Promise<{ epoch: number } | undefined>;
    soonEpochs: number;
    /** The relayer renews memories, so their storage does not end */
    renewed: boolean;
  };
}

/** A day before `expires_at` */
const aheadMs = 24 * 3_600_000;
/** Memories in one event, and read at a time */
const atOnce = 200;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Records `memory.expiring` for memories that expire soon, once for each, in accounts with a webhook for it. */
export async function announceExpiring({ db, storageTime }: ExpiringParts): Promise<void> {
  const epoch = storageTime.renewed ? undefined : (await storageTime.tariff())?.epoch;
  for (const accountId of await accountsListening(db, 'memory.expiring')) {
    await announceAll(db, accountId, 'expires_at', (page) => expiringByTime(db, accountId, aheadMs, page));
    if (epoch === undefined) continue;
    const range = { epoch, lastEpoch: epoch + storageTime.soonEpochs };
    await announceAll(db, accountId, 'storage', (page) => expiringByEpoch(db, accountId, range, page));
  }
}

async function announceAll(
  db: Db,
  accountId: Buffer,
  reason: 'expires_at' | 'storage',
  read: (page: { after: string; limit: number }) => Promise<ExpiringMemory[]>,
): Promise<void> {
  for (let after = firstId; ; ) {
    const memories = await read({ after, limit: atOnce });
    if (memories.length === 0) return;
    await db.transaction(async (tx) => {
      const added = await markAnnounced(tx, accountId, memories);
      for (const [namespace, ids] of Map.groupBy(added, (memory) => memory.namespace))
        await noteWebhookEvent(tx, accountId, {
          type: 'memory.expiring',
          namespace,
          memoryIds: ids.map(({ id }) => id),
          reason,
        });
    });
    after = memories.at(-1)!.id;
  }
}
