import { parseSealObject, type SealObject } from '@memrelay/envelope/seal-object';
import { wrapType } from '@memrelay/envelope/wraps';
import type { Db } from '../base/db/db.ts';
import { decodeColumn } from './namespace-keys.ts';

/** Key servers that keys in the database are wrapped for, and that nobody named. */
export interface UnconfiguredSet {
  id: string;
  /** Namespaces with such keys, of all accounts and epochs */
  namespaces: number;
  /** An entry for ENC_HISTORICAL_SETS, but for the addresses and API keys that a wrap does not tell */
  entry: { servers: { objectId: string; weight: number }[]; threshold: number } | undefined;
}

/**
 * The sets in the database that are neither `current` nor one of `historical`: what is wrapped for them, and has no
 * later wrap for the current one, cannot be read.
 */
export async function unconfiguredSets(
  db: Db,
  { current, historical }: { current: string; historical: readonly string[] },
): Promise<UnconfiguredSet[]> {
  const { rows } = await db.query<{ server_set: string; namespaces: number; wraps: Buffer }>(
    `SELECT server_set, count(*)::int AS namespaces,
       (SELECT wraps FROM namespace_key any_key WHERE any_key.server_set = place.server_set LIMIT 1) AS wraps
     FROM (
       SELECT DISTINCT server_set, account_id, tag FROM namespace_key old_key
       WHERE NOT server_set = ANY($1) AND NOT EXISTS (
         SELECT 1 FROM key_rewrap
         WHERE account_id = old_key.account_id AND recipient_pk = old_key.recipient_pk AND server_set = $2
       )
     ) place
     GROUP BY server_set ORDER BY server_set`,
    [[current, ...historical], current],
  );
  return rows.map(({ server_set, namespaces, wraps }) => ({
    id: server_set,
    namespaces,
    entry: entryOf(wraps),
  }));
}

/** The set that a row's wrap tells: its servers, each as often as its weight, and its threshold. */
function entryOf(column: Buffer): UnconfiguredSet['entry'] {
  const object = sealObjectIn(column);
  if (!object) return undefined;
  const weights = new Map<string, number>();
  for (const { objectId } of object.services) {
    const id = `0x${Buffer.from(objectId).toString('hex')}`;
    weights.set(id, (weights.get(id) ?? 0) + 1);
  }
  const servers = [...weights].map(([objectId, weight]) => ({ objectId, weight }));
  return { servers, threshold: object.threshold };
}

function sealObjectIn(column: Buffer): SealObject | undefined {
  try {
    const wrap = decodeColumn(column).find(({ type }) => type === wrapType.seal);
    return wrap && parseSealObject(wrap.bytes);
  } catch {
    // A damaged row is for who reads it; the boot only wants to tell whose it is
    return undefined;
  }
}
