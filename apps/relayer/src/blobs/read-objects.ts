import { canonicalAddressPattern } from '@memrelay/protocol/address';
import type { StoreObject } from '@memrelay/protocol/sidecar-api';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';

/** Maximum number of ids that the sidecar accepts per call. */
const perCall = 1_000;

/** Reads blob objects from the chain by id; ids that do not exist are left out. Throws `ApiError`. */
export async function readObjects(
  sidecar: Pick<SidecarClient, 'storeObjects'>,
  ids: Iterable<string | undefined>,
): Promise<StoreObject[]> {
  const wanted = [...new Set(ids)].filter(
    (id) => id !== undefined && canonicalAddressPattern.test(id),
  ) as string[];
  const found: StoreObject[] = [];
  for (let start = 0; start < wanted.length; start += perCall) {
    const part = wanted.slice(start, start + perCall);
    found.push(...(await sidecar.storeObjects({ object_ids: part })).objects);
  }
  return found;
}
