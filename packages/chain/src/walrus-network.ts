import type { ChainClient } from './chain-client.ts';
import { readSystemObject } from './walrus-system.ts';

/** The objects and ids that a transaction on blobs needs. */
export interface WalrusNetwork {
  /** The shared system object */
  systemObjectId: string;
  /** The current version of the package, whose functions are called */
  packageId: string;
  /** Type of blob objects, with the package that defines it */
  blobType: string;
}

/** Reads the system object. Throws `ChainUnavailableError` and `ChainRejectedError`. */
export async function readWalrusNetwork(chain: ChainClient, systemObjectId: string): Promise<WalrusNetwork> {
  const { packageId, typePackageId } = await readSystemObject(chain, systemObjectId);
  return { systemObjectId, packageId, blobType: `${typePackageId}::blob::Blob` };
}
