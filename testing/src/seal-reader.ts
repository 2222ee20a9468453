import { parsePrivateKey } from '@memrelay/chain/key-file';
import { type CheckedWrap, checkWrap } from '@memrelay/envelope/check-wrap';
import { parseHeader } from '@memrelay/envelope/header';
import { SealClient, SessionKey } from '@mysten/seal';
import { Transaction } from '@mysten/sui/transactions';
import type { TestNetwork } from './test-network.ts';

/**
 * Opens envelopes of one account with Seal's unmodified client and keeps every key it ever received, as any client
 * could.
 */
export interface SealReader {
  /**
   * The X25519 private key that an envelope is sealed to, 32 bytes. Throws `EnvelopeError`, and Seal's errors:
   * `NoAccessError` when the key servers refuse.
   */
  privateKeyOf(envelope: Uint8Array): Promise<Uint8Array>;
  /** Number of keys it has requested */
  opened(): number;
}

/** `privateKey`: the wallet's or a delegate's, 64 hex digits. */
export async function createSealReader(
  network: TestNetwork,
  privateKey: string,
  account: { accountId: string; initialSharedVersion: string },
): Promise<SealReader> {
  const { packageId, keyServers, threshold } = network.info;
  const suiClient = network.chain.sui;
  const signer = parsePrivateKey(privateKey);
  const client = new SealClient({
    suiClient,
    serverConfigs: keyServers.map(({ objectId, weight }) => ({ objectId, weight })),
    verifyKeyServers: true,
  });
  const address = signer.toSuiAddress();
  const sessionKey = await SessionKey.create({ address, packageId, ttlMin: 10, signer, suiClient });
  const servers = keyServers.map(({ objectId, weight }) => ({ objectId: bytesOf(objectId), weight }));
  const expected = { packageId: bytesOf(packageId), serverSets: [{ servers, threshold }] };
  const keys = new Map<string, Promise<Uint8Array>>();

  async function open({ bytes, object }: CheckedWrap): Promise<Uint8Array> {
    const transaction = new Transaction();
    const shared = (objectId: string, initialSharedVersion: string) =>
      transaction.sharedObjectRef({ objectId, initialSharedVersion, mutable: false });
    transaction.moveCall({
      target: `${packageId}::account::seal_approve_at`,
      arguments: [
        transaction.pure.vector('u8', object.id),
        shared(account.accountId, account.initialSharedVersion),
        shared('0x6', '1'),
      ],
    });
    const txBytes = await transaction.build({ onlyTransactionKind: true });
    return client.decrypt({ data: bytes, sessionKey, txBytes });
  }

  return {
    privateKeyOf(envelope) {
      const wrap = checkWrap({ header: parseHeader(envelope, envelope.length) }, expected);
      const name = Buffer.from(wrap.bytes).toString('base64');
      const key = keys.get(name) ?? open(wrap);
      keys.set(name, key);
      return key;
    },
    opened: () => keys.size,
  };
}

function bytesOf(id: string): Uint8Array {
  return Uint8Array.from(Buffer.from(id.slice(2), 'hex'));
}
