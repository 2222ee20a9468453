import { sealIdentity } from '@memrelay/envelope/identity';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { openRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { wrapType } from '@memrelay/envelope/wraps';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { SealClient } from '@mysten/seal';
import { fromBase64 } from '@mysten/sui/utils';
import type { AccountKey, NewWrap } from '../keys.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { AccountNetwork } from './network.ts';

/** A recovery key: the owner can read with it alone, without any key server. */
export interface RecoveryKey {
  /** X25519, 32 bytes each */
  privateKey: Uint8Array;
  publicKey: Uint8Array;
}

/** The pair of a private key, by default a new one. Throws `RangeError` unless it has 32 bytes. */
export function recoveryKey(privateKey: Uint8Array = portablePrimitives.randomBytes(32)): RecoveryKey {
  return { privateKey, publicKey: portablePrimitives.x25519PublicKey(privateKey) };
}

/** Whether an account's key can be opened with a recovery key, i.e. was created while the account had one. */
export function isRecoverable(key: AccountKey): boolean {
  return key.wraps.some(({ type }) => type === wrapType.recovery);
}

/**
 * Opens a key with the recovery key and wraps it for the current key servers, for `rewrapKeys`. The private key does not
 * leave this process. `origin`: the address that created the account, `0x…`. Throws `MemRelayError` `not_recoverable` if
 * there is no wrap for this recovery key, and the chain's errors.
 */
export async function wrapWithRecoveryKey(
  network: AccountNetwork,
  origin: string,
  key: AccountKey,
  recovery: RecoveryKey,
): Promise<NewWrap> {
  const identity = sealIdentity(fromHex(origin), fromHex(key.tag), BigInt(key.keyEpoch));
  const recipientPk = fromHex(key.recipientPk);
  const privateKey = openAny(key, recovery, { identity, recipientPk });
  try {
    const { encryptedObject } = await sealClient(network).encrypt({
      packageId: network.packageId,
      id: toHex(identity),
      threshold: network.keyServers.threshold,
      data: privateKey,
    });
    return { recipientPk: key.recipientPk, wrap: encryptedObject };
  } finally {
    privateKey.fill(0);
  }
}

function openAny(
  key: AccountKey,
  { privateKey }: RecoveryKey,
  binding: { identity: Uint8Array; recipientPk: Uint8Array },
): Uint8Array {
  let cause: unknown;
  for (const { type, bytes } of key.wraps.filter((wrap) => wrap.type === wrapType.recovery)) {
    try {
      const wrap = { type, bytes: fromBase64(bytes) };
      return openRecoveryWrap(portablePrimitives, wrap, privateKey, binding);
    } catch (error) {
      cause = error;
    }
  }
  throw new MemRelayError(
    'not_recoverable',
    `The key ${key.recipientPk} of ${key.namespace} was not wrapped for this recovery key.`,
    { cause },
  );
}

const clients = new WeakMap<AccountNetwork, SealClient>();

/** Cached per network: it reads the key servers from the chain once. */
function sealClient(network: AccountNetwork): SealClient {
  const known = clients.get(network);
  if (known) return known;
  const client = new SealClient({
    suiClient: network.chain.sui,
    serverConfigs: network.keyServers.servers.map((server) => ({ ...server })),
  });
  clients.set(network, client);
  return client;
}
