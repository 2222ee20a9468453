import type { SealCompatibleClient } from '@mysten/seal';
import { bcs } from '@mysten/sui/bcs';

/** An independent key server as registered on chain. */
const keyServer = bcs.struct('KeyServerV2', {
  name: bcs.string(),
  keyType: bcs.u8(),
  publicKey: bcs.byteVector(),
  serverType: bcs.enum('ServerType', { Independent: bcs.string(), Committee: null }),
});

export interface RegisteredServer {
  url: string;
  publicKey: Uint8Array;
}

/** A chain client that applies `change` to each key server's data. */
export function rewrittenServers(
  { core }: SealCompatibleClient,
  change: (server: RegisteredServer, objectId: string) => RegisteredServer,
): SealCompatibleClient {
  const rewritten = {
    getObject: (options: Parameters<typeof core.getObject>[0]) => core.getObject(options),
    async getDynamicField(options: Parameters<typeof core.getDynamicField>[0]) {
      const { dynamicField } = await core.getDynamicField(options);
      const entry = keyServer.parse(dynamicField.value.bcs);
      const before = { url: entry.serverType.Independent!, publicKey: entry.publicKey };
      const { url, publicKey } = change(before, options.parentId);
      const value = keyServer.serialize({ ...entry, publicKey, serverType: { Independent: url } });
      return { dynamicField: { ...dynamicField, value: { ...dynamicField.value, bcs: value.toBytes() } } };
    },
  };
  return { core: rewritten } as unknown as SealCompatibleClient;
}
