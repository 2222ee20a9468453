import { z } from 'zod';
import { addressPattern } from './address.ts';
import { anyCaseHex32Pattern } from './bytes.ts';

/** The credential file of the spec: what a client needs to act as a delegate of an account. */
export const credentialFileSchema = z.object({
  /** 64 hex: a long-lived secret */
  delegatePrivateKey: z.string().regex(anyCaseHex32Pattern),
  delegatePublicKey: z.string().regex(anyCaseHex32Pattern),
  delegateAddress: z.string().regex(addressPattern),
  walletAddress: z.string().regex(addressPattern),
  accountId: z.string().regex(addressPattern),
  packageId: z.string().regex(addressPattern),
  relayerUrl: z.url({ protocol: /^https?$/ }),
  label: z.string(),
  /** RFC 3339 */
  createdAt: z.string(),
});

export type CredentialFile = z.infer<typeof credentialFileSchema>;
