import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { SealClient } from '@mysten/seal';
import { rawPublicKey } from '../base/raw-public-key.ts';
import { reportKeyServerCalls } from './key-server-calls.ts';
import { keyServerFetch } from './key-server-fetch.ts';
import type { VerifyTask, WrapOutcome, WrapTask } from './seal-tasks.ts';
import { offlineClient } from './server-snapshot.ts';

// The environment of the sidecar, as in its configuration
if (process.env.METRICS_PORT) reportKeyServerCalls();

/** The functions that the worker threads of `SealPool` run, by name. They may block their thread. */
export { unwrapKeys } from './unwrap-task.ts';

/** Encrypts a private key, by default a new one, to the key servers. */
export async function wrapKey({
  snapshot,
  identity,
  privateKey = crypto.getRandomValues(new Uint8Array(32)),
  recoveryPk,
}: WrapTask): Promise<WrapOutcome> {
  const client = new SealClient({ suiClient: offlineClient(snapshot), serverConfigs: [...snapshot.servers] });
  try {
    const { encryptedObject, key } = await client.encrypt({
      threshold: snapshot.threshold,
      packageId: snapshot.packageId,
      id: Buffer.from(identity).toString('hex'),
      data: privateKey,
    });
    key.fill(0);
    const recipientPk = rawPublicKey('x25519', privateKey);
    if (!recoveryPk) return { recipientPk, wrap: encryptedObject };
    const recovery = sealRecoveryWrap(nodePrimitives, recoveryPk, { identity, recipientPk }, privateKey);
    return { recipientPk, wrap: encryptedObject, recoveryWrap: recovery.bytes };
  } finally {
    privateKey.fill(0);
  }
}

/** Asks every independent key server of a set to prove that it has its master key. Throws if one fails. */
export async function verifyKeyServers({ snapshot, network }: VerifyTask): Promise<void> {
  await new SealClient({
    suiClient: offlineClient(snapshot),
    serverConfigs: [...snapshot.servers],
    verifyKeyServers: true,
    timeout: network.timeoutMs,
    fetch: keyServerFetch(snapshot, network),
  }).getKeyServers();
}
