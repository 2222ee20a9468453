import { join } from 'node:path';
import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { freePort } from '@memrelay/process/free-ports';
import { type RunningPart, startPart } from '@memrelay/process/start-part';
import { askFaucet } from 'memrelay/system/network-info';
import { blobstoreSettings } from 'memrelay/system/part-settings';
import type { TestNetwork } from './test-network.ts';
import { newTestKey } from './test-owner.ts';

/** A second blob store on a network, with a separate wallet. */
export interface AuthenticatedPublisher {
  part: RunningPart;
  /** Address of its wallet */
  wallet: string;
}

/** Starts a publisher that accepts a store only with a token for exactly that store, signed with `secret`. */
export async function startAuthenticatedPublisher(
  network: TestNetwork,
  secret: string,
): Promise<AuthenticatedPublisher> {
  const { privateKey } = newTestKey();
  const wallet = addressOfPrivateKey(privateKey);
  await askFaucet(network.chainUrl, wallet);
  const ports = { relayer: 0, sidecar: 0, dashboard: 0, localnet: 0, blobstore: await freePort() };
  const paths = { ...network.paths, blobstore: join(network.dataDir, 'authenticated-store') };
  const settings = blobstoreSettings(process.env, ports, paths, network.chainUrl, privateKey);
  const part = await startPart({
    ...settings,
    environment: {
      ...settings.environment,
      BLOBSTORE_JWT_DECODE_SECRET: secret,
      BLOBSTORE_JWT_VERIFY_UPLOAD: 'true',
    },
    onLine: () => undefined,
  });
  return { part, wallet };
}
