import { z } from 'zod';
import { addressPattern } from './address.ts';
import { base64ByteLength, base64Pattern } from './bytes.ts';

/**
 * Sponsored transactions: `POST /sponsor` and `POST /sponsor/execute` of the relayer, and the same two of the
 * sidecar (decisions.md, "Sponsor routes").
 */

/** Base64 of a number of bytes. */
function base64Of(minBytes: number, maxBytes: number): z.ZodString {
  return z
    .string()
    .regex(base64Pattern, 'must be base64')
    .refine((text) => {
      const bytes = base64ByteLength(text);
      return bytes >= minBytes && bytes <= maxBytes;
    }, `must be base64 of ${minBytes} to ${maxBytes} bytes`);
}

const address = z
  .string()
  .regex(addressPattern, 'must be 0x and 64 hex digits')
  .transform((text) => text.toLowerCase());
const digest = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/, 'must be a transaction digest in base58');

export const sponsorRequest = z.strictObject({
  sender: address,
  /** BCS of the transaction's kind: what it does, without sender and gas */
  transactionBlockKindBytes: base64Of(10, 7_000),
});
export type SponsorRequest = z.infer<typeof sponsorRequest>;

/** The complete sponsored transaction, for the sender to sign. */
export interface SponsorResponse {
  /** BCS, base64 */
  bytes: string;
  digest: string;
}

export const sponsorResponse = z.object({
  bytes: z.string(),
  digest: z.string(),
}) satisfies z.ZodType<SponsorResponse>;

export const sponsorExecuteRequest = z.strictObject({
  digest,
  /** The sender's signature with its scheme and public key, base64 */
  signature: base64Of(65, 2_048),
  sender: address.optional(),
});
export type SponsorExecuteRequest = z.infer<typeof sponsorExecuteRequest>;

export interface SponsorExecuteResponse {
  digest: string;
}

export const sponsorExecuteResponse = z.object({
  digest: z.string(),
}) satisfies z.ZodType<SponsorExecuteResponse>;
