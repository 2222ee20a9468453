import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { startPeriodicTask, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import { bytesToAddress } from '../../base/db/hex.ts';
import { type RemoveParts, removeMemories } from '../../memories/forget/remove-memories.ts';
import type { NamespaceTags } from '../../memories/reading/scope-namespaces.ts';
import { expiredMemories } from '../rows/expired-rows.ts';

export interface ExpiryParts extends RemoveParts, NamespaceTags {
  accounts: Pick<AccountDirectory, 'account'>;
  /** Public halves of the relayer's writer keys, hex */
  writerPublicKeys: readonly string[];
}

/** Until then, requests leave them out */
const rounds = {
  name: 'forget expired memories',
  everyMs: 30_000,
  againAfterFailureMs: 30_000,
  pollMs: 5_000,
};
const atOnce = 400;

/** Forgets memories whose `expires_at` has passed, at one of the relayers that share the database. */
export async function startExpiry(parts: ExpiryParts): Promise<{ close(): Promise<void> }> {
  const log = parts.loggers.memories;
  const task: TaskLoop = await startPeriodicTask(
    parts.db,
    rounds,
    () => forgetExpired(parts),
    (err) => log.error({ err }, 'cannot forget expired memories; will retry'),
  );
  return { close: () => task.stop() };
}

/** Removes them as a forget does, with tombstones. An account that cannot be read now is left for the next round. */
export async function forgetExpired(parts: ExpiryParts): Promise<void> {
  const failed: string[] = [];
  for (;;) {
    const found = await expiredMemories(parts.db, failed, atOnce);
    if (found.length === 0) return;
    for (const { accountId, namespace, ids } of found) {
      if (failed.includes(accountId.toString('hex'))) continue;
      try {
        const account = await parts.accounts.account(bytesToAddress(accountId));
        if (!account || account.stale) throw new Error('the account cannot be read now');
        const tag = Buffer.from(parts.tagOf(account.origin, namespace));
        const writer = { account, publicKey: parts.writerPublicKeys[0]! };
        const removed = await removeMemories(parts, writer, { accountId, namespace, tag }, ids, 'expiry');
        if (removed.length === 0) throw new Error('expired memories were not removed');
      } catch (err) {
        failed.push(accountId.toString('hex'));
        parts.loggers.memories.warn(
          { err, account_id: bytesToAddress(accountId), memories: ids.length },
          'expired memories cannot be forgotten now; will retry',
        );
      }
    }
  }
}
