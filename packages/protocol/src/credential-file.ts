import { z } from 'zod';

/** The credential file of the spec: what a client needs to act as a delegate of an account. */
export const credentialFileSchema = z.object({
  /** 64 hex: a long-lived secret */
  delegatePrivateKey: z.string().regex(/^[0-9a-fA-F]{64}$/),
  delegatePublicKey: z.string().regex(/^[0-9a-fA-F]{64}$/),
  delegateAddress: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  walletAddress: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  accountId: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  packageId: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  relayerUrl: z.url({ protocol: /^https?$/ }),
  label: z.string(),
  /** RFC 3339 */
  createdAt: z.string(),
});

export type CredentialFile = z.infer<typeof credentialFileSchema>;
