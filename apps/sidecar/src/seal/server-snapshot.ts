import { type KeyServerConfig, SealClient, type SealCompatibleClient } from '@mysten/seal';
import type { ServerSet } from './server-sets.ts';

/**
 * Everything that Seal's client reads from the chain about one set of key servers, as plain data for worker threads, which
 * create clients from it without calling the chain.
 */
export interface ServerSnapshot {
  readonly packageId: string;
  readonly threshold: number;
  readonly servers: readonly Readonly<KeyServerConfig>[];
  /** BCS contents of each key server object, by object id */
  readonly contents: ReadonlyMap<string, Uint8Array>;
  /** BCS value of each server's dynamic field, in the version that the client requested */
  readonly versions: ReadonlyMap<string, Uint8Array>;
  /** G2 public keys in hex, by object id */
  readonly publicKeys: ReadonlyMap<string, string>;
  /** Addresses, by object id */
  readonly urls: ReadonlyMap<string, string>;
}

/** The two chain reads that Seal's client makes. */
interface ChainReads {
  getObject(options: { objectId: string }): Promise<{ object: { version: string; content?: Uint8Array } }>;
  getDynamicField(options: { parentId: string }): Promise<{ dynamicField: { value: { bcs: Uint8Array } } }>;
}

/**
 * Reads a set from the chain through Seal's own client, without any curve arithmetic. Throws if a server cannot be read, or
 * if `packageId` is not the first version of its package: keys wrapped under an upgraded id could never be requested.
 */
export async function readServerSnapshot(
  client: SealCompatibleClient,
  packageId: string,
  set: ServerSet,
): Promise<ServerSnapshot> {
  const { object } = await client.core.getObject({ objectId: packageId });
  if (String(object.version) !== '1') throw new Error(`${packageId} is not the first version of its package`);
  const contents = new Map<string, Uint8Array>();
  const versions = new Map<string, Uint8Array>();
  const recorder: ChainReads = {
    getObject: async ({ objectId }) => {
      const answer = await client.core.getObject({ objectId, include: { content: true } });
      contents.set(objectId, answer.object.content);
      return answer;
    },
    getDynamicField: async (options) => {
      const answer = await client.core.getDynamicField(
        options as Parameters<typeof client.core.getDynamicField>[0],
      );
      versions.set(options.parentId, answer.dynamicField.value.bcs);
      return answer;
    },
  };
  const servers = await new SealClient({
    suiClient: asSuiClient(recorder),
    serverConfigs: [...set.servers],
  }).getKeyServers();
  const publicKeys = new Map([...servers].map(([id, { pk }]) => [id, Buffer.from(pk).toString('hex')]));
  const urls = new Map([...servers].map(([id, { url }]) => [id, url]));
  return { packageId, threshold: set.threshold, servers: set.servers, contents, versions, publicKeys, urls };
}

/** A substitute for the chain client that reads from the snapshot. */
export function offlineClient(snapshot: ServerSnapshot): SealCompatibleClient {
  const reads: ChainReads = {
    getObject: async ({ objectId }) => {
      if (objectId === snapshot.packageId) return { object: { version: '1' } };
      return { object: { version: '1', content: known(snapshot.contents, objectId) } };
    },
    getDynamicField: async ({ parentId }) => ({
      dynamicField: { value: { bcs: known(snapshot.versions, parentId) } },
    }),
  };
  return asSuiClient(reads);
}

function known(values: ReadonlyMap<string, Uint8Array>, objectId: string): Uint8Array {
  const value = values.get(objectId);
  if (!value) throw new Error(`${objectId} is not in the snapshot`);
  return value;
}

/** Seal's type requires a complete chain client, but it calls only these two functions. */
function asSuiClient(core: ChainReads): SealCompatibleClient {
  return { core } as unknown as SealCompatibleClient;
}
