import { readAccount } from '@memrelay/chain/account-reader';
import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { envelopeKind } from '@memrelay/envelope/header';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader, openBody } from '@memrelay/envelope/open-envelope';
import { createSealReader } from '../../src/seal-reader.ts';
import type { TestNetwork } from '../../src/test-network.ts';
import type { TestOwner } from '../../src/test-owner.ts';

/** The part of a namespace that can be restored with only the chain and an aggregator. */
export interface Restored {
  /** Certified objects of the owner, by blob id */
  objects: Map<string, string[]>;
  /** Texts by the id of their blob or quilt patch */
  texts: Map<string, string>;
  /** Wraps that Seal had to open */
  unwrapped: number;
  /** Blobs that were not restored, with the reason */
  failures: string[];
}

interface Sources {
  network: TestNetwork;
  owner: TestOwner;
  aggregatorUrl: string;
  /** Seed of the only trusted writer */
  writerKey: string;
}

/**
 * Reads a namespace like a restore, but without relayer and database: the owner's blob objects from the chain, their bytes
 * from the aggregator, and the key from the key servers with the owner's wallet, using Seal's own client.
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
  const { accountId, wallet } = owner;
  const { initialSharedVersion } = account;
  const reader = await createSealReader(network, wallet.privateKey, { accountId, initialSharedVersion });
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
      for (const [id, bytes] of await envelopesIn(aggregatorUrl, blobId)) {
        const envelope = checkHeader(bytes, { origin, tag, maxEpoch });
        if (envelope.header.kind !== envelopeKind.memory) throw new Error('not a memory');
        const privateKey = await reader.privateKeyOf(bytes);
        restored.texts.set(id, openBody(nodePrimitives, envelope, privateKey, trust).text);
      }
    } catch (error) {
      restored.failures.push(`${blobId}: ${(error as Error).message}`);
    }
  }
  restored.unwrapped = reader.opened();
  return restored;
}

/** The single envelope of a blob, or those of a quilt by their ids. */
async function envelopesIn(aggregatorUrl: string, blobId: string): Promise<Map<string, Uint8Array>> {
  const read = async (path: string): Promise<Uint8Array> => {
    const response = await fetch(`${aggregatorUrl}/v1/${path}`);
    if (response.status !== 200) throw new Error(`the aggregator returned status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const bytes = await read(`blobs/${blobId}`);
  if (Buffer.from(bytes.subarray(0, 4)).toString() === 'MRE1') return new Map([[blobId, bytes]]);
  const listed = Buffer.from(await read(`quilts/${blobId}/patches`)).toString();
  const envelopes = new Map<string, Uint8Array>();
  for (const { patch_id: id } of JSON.parse(listed) as { patch_id: string }[])
    envelopes.set(id, await read(`blobs/by-quilt-patch-id/${id}`));
  return envelopes;
}

const bytesOf = (id: string): Uint8Array => Uint8Array.from(Buffer.from(id.slice(2), 'hex'));
