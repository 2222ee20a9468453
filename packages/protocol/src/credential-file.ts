import { z } from 'zod';
import { addressPattern } from './address.ts';
import { anyCaseHex32Pattern } from './bytes.ts';

/** The credential file of the spec: what a client needs to act as a delegate of an account. */
export interface CredentialFile {
  /** 64 hex: a long-lived secret */
  delegatePrivateKey: string;
  delegatePublicKey: string;
  delegateAddress: string;
  walletAddress: string;
  accountId: string;
  packageId: string;
  relayerUrl: string;
  label: string;
  /** RFC 3339 */
  createdAt: string;
}

export const credentialFileSchema = z.object({
  delegatePrivateKey: z.string().regex(anyCaseHex32Pattern),
  delegatePublicKey: z.string().regex(anyCaseHex32Pattern),
  delegateAddress: z.string().regex(addressPattern),
  walletAddress: z.string().regex(addressPattern),
  accountId: z.string().regex(addressPattern),
  packageId: z.string().regex(addressPattern),
  relayerUrl: z.url({ protocol: /^https?$/ }),
  label: z.string(),
  createdAt: z.string(),
}) satisfies z.ZodType<CredentialFile>;
