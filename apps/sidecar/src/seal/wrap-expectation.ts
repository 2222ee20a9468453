import type { WrapExpectation } from '@memrelay/envelope/check-wrap';
import { fromHex } from '@memrelay/protocol/bytes';
import type { ServerSets } from './server-sets.ts';

/** Which wraps may be opened here: those for our package and a configured set of key servers. */
export function wrapExpectation(packageId: string, sets: ServerSets): WrapExpectation {
  return {
    packageId: fromHex(packageId),
    serverSets: sets.all.map(({ servers, threshold }) => ({
      servers: servers.map(({ objectId, weight }) => ({ objectId: fromHex(objectId), weight })),
      threshold,
    })),
  };
}
