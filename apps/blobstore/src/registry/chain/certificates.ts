import { blobIdToInteger, storageConfirmation } from '@memrelay/chain/walrus-bcs';
import type { NodeSigner } from './node-key.ts';
import type { Certificate } from './walrus-calls.ts';

/** A blob that the storage nodes promise to keep. */
export interface Promised {
  blobId: string;
  /** Object id of a deletable blob; absent for a permanent one */
  deletableObject?: string | undefined;
  /** The current epoch; the chain rejects a certificate of another one */
  epoch: number;
}

/** The message that storage nodes sign. */
export function confirmationOf({ blobId, deletableObject, epoch }: Promised): Uint8Array {
  return storageConfirmation(epoch, {
    id: deletableObject ?? '',
    blob_id: blobIdToInteger(blobId).toString(),
    deletable: deletableObject !== undefined,
  });
}

/** Certificates in the order of the promises. The bytes must be durable. */
export async function certificatesOf(signer: NodeSigner, promised: Promised[]): Promise<Certificate[]> {
  if (promised.length === 0) return [];
  const messages = promised.map(confirmationOf);
  const signatures = await signer.sign(messages);
  return messages.map((message, index) => ({ message, signature: signatures[index] as Uint8Array }));
}
