import { readAccount } from '@memrelay/chain/account-reader';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { type CheckedWrap, checkWrap } from '@memrelay/envelope/check-wrap';
import { envelopeKind } from '@memrelay/envelope/header';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader, openBody } from '@memrelay/envelope/open-envelope';
import { SealClient, SessionKey } from '@mysten/seal';
import { Transaction } from '@mysten/sui/transactions';
import type { TestNetwork } from '../../src/test-network.ts';
import type { TestOwner } from '../../src/test-owner.ts';

/** What the chain and an aggregator alone give back of a namespace. */
export interface Restored {
  /** Certified objects of the owner, by blob id */
  objects: Map<string, string[]>;
  /** Texts by blob id */
  texts: Map<string, string>;
  /** Wraps that Seal had to open */
  unwrapped: number;
  /** What did not come back, and why */
  failures: string[];
}

interface Sources {
  network: TestNetwork;
  owner: TestOwner;
  aggregatorUrl: string;
  /** Seed of the one writer that is believed */
  writerKey: string;
}

/**
 * Reads a namespace as a restore has to, without relayer and database: the owner's blob objects from the chain, their
 * bytes from the aggregator, the key from the key servers with the owner's wallet, by Seal's own client.
 */
export async function restoreFromChain(
  { network, owner, aggregatorUrl, writerKey }: Sources,
  namespace: string,
): Promise<Restored> {
  const account = await readAccount(network.chain, network.info.packageId, owner.accountId);
  if (account === undefined) throw new Error('the account is not on chain');
  const origin = bytesOf(account.account.origin);
  const tag = namespaceTag(nodePrimitives, origin, namespace);
  const maxEpoch = BigInt(account.account.key_epoch);
  const writer = nodePrimitives.ed25519PublicKey(Buffer.from(writerKey, 'hex'));
  const trust = new Set([Buffer.from(writer).toString('hex')]);
  const unwrap = await unwrapper(network, owner, account.initialSharedVersion);
  const restored: Restored = { objects: new Map(), texts: new Map(), unwrapped: 0, failures: [] };

  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  for await (const { blobId, objectId, certified } of ownedBlobs(
    network.chain,
    walrus,
    owner.wallet.address,
  )) {
    if (!certified) restored.failures.push(`${blobId}: the owner has an object that is not certified`);
    restored.objects.set(blobId, [...(restored.objects.get(blobId) ?? []), objectId]);
  }
  for (const blobId of restored.objects.keys()) {
    try {
      const response = await fetch(`${aggregatorUrl}/v1/blobs/${blobId}`);
      if (response.status !== 200) throw new Error(`the aggregator answered ${response.status}`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      const envelope = checkHeader(bytes, { origin, tag, maxEpoch });
      if (envelope.header.kind !== envelopeKind.memory) throw new Error('not a memory');
      const privateKey = await unwrap.open(checkWrap(envelope, unwrap.expected));
      restored.texts.set(blobId, openBody(nodePrimitives, envelope, privateKey, trust).text);
    } catch (error) {
      restored.failures.push(`${blobId}: ${(error as Error).message}`);
    }
  }
  restored.unwrapped = unwrap.opened();
  return restored;
}

const bytesOf = (id: string): Uint8Array => Uint8Array.from(Buffer.from(id.slice(2), 'hex'));

/** Opens wraps by Seal's client with the owner's wallet, each once. */
async function unwrapper({ info, chain }: TestNetwork, owner: TestOwner, initialSharedVersion: string) {
  const signer = parsePrivateKey(owner.wallet.privateKey);
  const { packageId, keyServers, threshold } = info;
  const suiClient = chain.sui;
  const client = new SealClient({
    suiClient,
    serverConfigs: keyServers.map(({ objectId, weight }) => ({ objectId, weight })),
    verifyKeyServers: true,
  });
  const address = owner.wallet.address;
  const sessionKey = await SessionKey.create({ address, packageId, ttlMin: 10, signer, suiClient });
  const keys = new Map<string, Promise<Uint8Array>>();

  async function open({ bytes, object }: CheckedWrap): Promise<Uint8Array> {
    const transaction = new Transaction();
    const shared = (objectId: string, version: string) =>
      transaction.sharedObjectRef({ objectId, initialSharedVersion: version, mutable: false });
    transaction.moveCall({
      target: `${packageId}::account::seal_approve_at`,
      arguments: [
        transaction.pure.vector('u8', object.id),
        shared(owner.accountId, initialSharedVersion),
        shared('0x6', '1'),
      ],
    });
    const txBytes = await transaction.build({ onlyTransactionKind: true });
    return client.decrypt({ data: bytes, sessionKey, txBytes });
  }
  const servers = keyServers.map(({ objectId, weight }) => ({ objectId: bytesOf(objectId), weight }));
  return {
    expected: { packageId: bytesOf(packageId), serverSets: [{ servers, threshold }] },
    opened: () => keys.size,
    open(wrap: CheckedWrap): Promise<Uint8Array> {
      const name = Buffer.from(wrap.bytes).toString('base64');
      const key = keys.get(name) ?? open(wrap);
      keys.set(name, key);
      return key;
    },
  };
}
