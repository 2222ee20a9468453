import { parseSealObject, type SealObject } from '@memrelay/envelope/seal-object';
import { wrapType } from '@memrelay/envelope/wraps';
import type { Db } from '../base/db/db.ts';
import { decodeColumn } from './namespace-keys.ts';
import { readOtherSets } from './rows/key-server-rows.ts';

/** Key servers for which keys in the database are wrapped, but which are not configured. */
export interface UnconfiguredSet {
  id: string;
  /** Namespaces with such keys, of all accounts and epochs */
  namespaces: number;
  /** An entry for ENC_HISTORICAL_SETS, without the addresses and API keys, which a wrap does not contain */
  entry: { servers: { objectId: string; weight: number }[]; threshold: number } | undefined;
}

/**
 * The sets in the database that are neither `current` nor in `historical`. Keys that are wrapped only for them cannot
 * be opened.
 */
export async function unconfiguredSets(
  db: Db,
  { current, historical }: { current: string; historical: readonly string[] },
): Promise<UnconfiguredSet[]> {
  const sets = await readOtherSets(db, [current, ...historical], current);
  return sets.map(({ id, namespaces, wraps }) => ({ id, namespaces, entry: entryOf(wraps) }));
}

/** The key-server set of a row's wrap: its servers with their weights, and its threshold. */
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
    // A damaged row is reported when its key is read; the start only needs the set
    return undefined;
  }
}
