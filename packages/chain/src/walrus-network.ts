import { parseStructTag } from '@mysten/sui/utils';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';
import { walrusObjectBcs } from './walrus-state-bcs.ts';

/** What a transaction on blobs has to name. */
export interface WalrusNetwork {
  /** The shared system object */
  systemObjectId: string;
  /** The version of the package in force: functions are called there */
  packageId: string;
  /** Type of blob objects, by the package that defines it */
  blobType: string;
}

/** Reads the system object. Throws `ChainUnavailableError` and `ChainRejectedError`. */
export async function readWalrusNetwork(chain: ChainClient, systemObjectId: string): Promise<WalrusNetwork> {
  const { object } = await chain.call((sui, signal) =>
    sui.core.getObject({ objectId: systemObjectId, include: { content: true }, signal }),
  );
  const { address } = parseStructTag(object.type);
  try {
    const { package_id } = walrusObjectBcs.parse(object.content);
    return { systemObjectId, packageId: package_id, blobType: `${address}::blob::Blob` };
  } catch (cause) {
    throw new ChainUnavailableError('the Walrus system object could not be parsed', { cause });
  }
}
