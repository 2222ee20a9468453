import { storageNodesAnnouncement } from '@memrelay/chain/walrus-committee';
import type { NodeSigner } from './node-key.ts';

const timeoutMs = 5000;

export interface AnnouncementParts {
  chainUrl: string;
  /** Short identifier of the chain */
  chainId: string;
  signer: NodeSigner;
}

/**
 * Registers `url` on the chain as the address of all storage nodes, so that clients find them. Throws if the chain
 * rejects it.
 */
export async function announceStorageNodes(
  { chainUrl, chainId, signer }: AnnouncementParts,
  url: string,
): Promise<void> {
  const [signature] = await signer.sign([storageNodesAnnouncement(chainId, url)]);
  const response = await fetch(`${chainUrl.replace(/\/$/, '')}/storage-nodes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, signature: Buffer.from(signature!).toString('base64') }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok)
    throw new Error(`${chainUrl} rejected the storage node address with status ${response.status}`);
}
