import { type AccountEvent, permissions } from '@memrelay/chain/account-bcs';
import type { Db, Queryable } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';

/** Records all past delegates and the namespaces where they had WRITE. Handling the same events again has no effect. */
export async function recordPastDelegates(db: Queryable, events: readonly AccountEvent[]): Promise<void> {
  for (const event of events) {
    if (event.name === 'DelegateKeyAdded')
      await db.query(
        `INSERT INTO past_delegate AS past (account_id, address, wrote, everywhere, tags, public_key)
         VALUES ($1, $2, $3, $4, $5::text[], $6)
         ON CONFLICT (account_id, address, public_key) DO UPDATE SET ${widened('excluded')}`,
        [hexToBytes(event.account_id), event.address, ...writing(event), Buffer.from(event.public_key)],
      );
    else if (event.name === 'DelegateScopeChanged')
      await db.query(
        `UPDATE past_delegate AS past SET ${widened('given')}
         FROM (SELECT $3::boolean AS wrote, $4::boolean AS everywhere, $5::text[] AS tags) AS given
         WHERE account_id = $1 AND address = $2`,
        [hexToBytes(event.account_id), event.address, ...writing(event)],
      );
  }
}

const widened = (by: string): string => `
  wrote = past.wrote OR ${by}.wrote, everywhere = past.everywhere OR ${by}.everywhere,
  tags = ARRAY(SELECT DISTINCT unnest(past.tags || ${by}.tags))`;

/** Whether the scope has WRITE, whether it covers all namespaces, and the tags it covers. */
function writing({ scope }: Extract<AccountEvent, { scope: unknown }>): [boolean, boolean, string[]] {
  if ((scope.perms & permissions.write) === 0) return [false, false, []];
  return [true, scope.all_namespaces, scope.tags.map((tag) => Buffer.from(tag).toString('hex'))];
}

/** Public keys, hex, of delegates that ever had WRITE in the namespace with this tag. */
export async function readPastWriters(db: Db, accountId: string, tag: Uint8Array): Promise<string[]> {
  const { rows } = await db.query<{ public_key: Buffer }>(
    'SELECT public_key FROM past_delegate WHERE account_id = $1 AND wrote AND (everywhere OR $2 = ANY (tags))',
    [hexToBytes(accountId), Buffer.from(tag).toString('hex')],
  );
  return rows.map(({ public_key }) => public_key.toString('hex'));
}
