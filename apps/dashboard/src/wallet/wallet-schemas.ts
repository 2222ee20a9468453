import { canonicalAddressPattern } from '@memrelay/protocol/address';
import { z } from 'zod';
import { type AddDelegate, type BrowserProof, type ChangeAccount, maxBlobObjects } from './wallet-api.ts';

/** Requests to the local wallet. Unknown fields are rejected. */

const base64url = (max: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(max);

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** Characters, not UTF-16 units */
const label = z.string().refine((text) => text !== '' && [...text].length <= 64);

const addDelegate = z.strictObject({
  accountId: z.string().regex(canonicalAddressPattern),
  publicKey: hex(64),
  label,
  scope: z.strictObject({
    perms: z.int().min(1).max(7),
    allNamespaces: z.boolean(),
    tags: z.array(hex(32)).max(16),
    expiresAtMs: z.string().regex(/^[0-9]{1,19}$/),
  }),
  proof: hex(128).optional(),
});

const changeAccount = z.strictObject({
  accountId: z.string().regex(canonicalAddressPattern),
  change: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.enum(['rotate', 'freeze', 'unfreeze', 'cancel-offer']) }),
    z.strictObject({ kind: z.literal('recovery-key'), publicKey: hex(64) }),
    z.strictObject({ kind: z.literal('offer'), newOwner: z.string().regex(canonicalAddressPattern) }),
  ]),
});

const objects = z.strictObject({
  objectIds: z.array(z.string().regex(canonicalAddressPattern)).min(1).max(maxBlobObjects),
});

export const walletRequests: Record<keyof WalletRequests, z.ZodType> = {
  pair: z.strictObject({ code: z.string().max(100), browserKey: base64url(200).optional() }),
  resume: z.strictObject({ browserKey: base64url(200), challenge: base64url(43), signature: base64url(100) }),
  addDelegate,
  removeDelegate: z.strictObject({ publicKey: hex(64) }),
  changeAccount,
  blobs: objects,
  deleteBlobs: objects,
};

export interface WalletRequests {
  pair: { code: string; browserKey?: string };
  resume: BrowserProof;
  addDelegate: AddDelegate;
  removeDelegate: { publicKey: string };
  changeAccount: ChangeAccount;
  blobs: { objectIds: string[] };
  deleteBlobs: { objectIds: string[] };
}
