import { type AccountEvent, permissions } from '@memrelay/chain/account-bcs';
import type { Db } from '../db/db.ts';
import { hexToBytes } from '../db/hex.ts';

/** Keeps who was a delegate and whether it ever had WRITE. Taking in the same events again changes nothing. */
export async function recordPastDelegates(db: Db, events: readonly AccountEvent[]): Promise<void> {
  for (const event of events) {
    if (event.name === 'DelegateKeyAdded')
      await db.query(
        `INSERT INTO past_delegate AS past (account_id, address, public_key, wrote) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, address, public_key) DO UPDATE SET wrote = past.wrote OR excluded.wrote`,
        [
          hexToBytes(event.account_id),
          event.address,
          Buffer.from(event.public_key),
          mayWrite(event.scope.perms),
        ],
      );
    else if (event.name === 'DelegateScopeChanged' && mayWrite(event.scope.perms))
      await db.query('UPDATE past_delegate SET wrote = true WHERE account_id = $1 AND address = $2', [
        hexToBytes(event.account_id),
        event.address,
      ]);
  }
}

function mayWrite(perms: number): boolean {
  return (perms & permissions.write) !== 0;
}

/** Public keys, hex. */
export async function readPastWriters(db: Db, accountId: string): Promise<string[]> {
  const { rows } = await db.query<{ public_key: Buffer }>(
    'SELECT public_key FROM past_delegate WHERE account_id = $1 AND wrote',
    [hexToBytes(accountId)],
  );
  return rows.map(({ public_key }) => public_key.toString('hex'));
}
