import { parseSealObject, type SealObject } from '@memrelay/envelope/seal-object';
import { wrapType } from '@memrelay/envelope/wraps';
import type { Db } from '../base/db/db.ts';
import { decodeColumn } from './namespace-keys.ts';
import { readOtherSets } from './rows/key-server-rows.ts';

/** Key servers that keys in the database are wrapped for, but that the configuration does not name. */
export interface UnconfiguredSet {
  id: string;
  /** Namespaces with such keys, of all accounts and epochs */
  namespaces: number;
  /** An entry for ENC_HISTORICAL_SETS, without the addresses and API keys, which a wrap does not contain */
  entry: { servers: { objectId: string; weight: number }[]; threshold: number } | undefined;
}

/**
 * The sets in the database that are neither `current` nor one of `historical`. What is wrapped for them and has no
 * later wrap for the current set cannot be read.
 */
export async function unconfiguredSets(
  db: Db,
  { current, historical }: { current: string; historical: readonly string[] },
): Promise<UnconfiguredSet[]> {
  const sets = await readOtherSets(db, [current, ...historical], current);
  return sets.map(({ id, namespaces, wraps }) => ({ id, namespaces, entry: entryOf(wraps) }));
}

/** The set that a row's wrap names: its servers, each as often as its weight, and its threshold. */
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
    // Reading the key reports a damaged row; the boot only wants to name its set
    return undefined;
  }
}
