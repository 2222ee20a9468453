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
 * Has the chain list `url` as the place where all storage nodes answer, by which clients find them. Throws when the
 * chain does not take it.
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
  if (!response.ok) throw new Error(`${chainUrl} answered ${response.status} to the announcement`);
}
