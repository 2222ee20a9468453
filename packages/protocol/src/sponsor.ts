import { z } from 'zod';

/**
 * Sponsored transactions: `POST /sponsor` and `POST /sponsor/execute` of the relayer, and the same two of the
 * sidecar (decisions.md, "Sponsor routes").
 */

/** Base64 of a number of bytes. */
function base64Of(minBytes: number, maxBytes: number): z.ZodString {
  return z
    .string()
    .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'must be base64')
    .refine((text) => {
      const bytes = decodedLength(text);
      return bytes >= minBytes && bytes <= maxBytes;
    }, `must be base64 of ${minBytes} to ${maxBytes} bytes`);
}

function decodedLength(text: string): number {
  return (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
}

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
  .transform((text) => text.toLowerCase());
const digest = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/, 'must be a transaction digest in base58');

export const sponsorRequest = z.strictObject({
  sender: address,
  /** BCS of the transaction's kind: what it does, without sender and gas */
  transactionBlockKindBytes: base64Of(10, 7_000),
});
export type SponsorRequest = z.infer<typeof sponsorRequest>;

/** The whole transaction, whose gas somebody else pays, for the sender to sign. */
export const sponsorResponse = z.object({
  /** BCS, base64 */
  bytes: z.string(),
  digest: z.string(),
});
export type SponsorResponse = z.infer<typeof sponsorResponse>;

export const sponsorExecuteRequest = z.strictObject({
  digest,
  /** The sender's signature with its scheme and public key, base64 */
  signature: base64Of(65, 2_048),
  sender: address.optional(),
});
export type SponsorExecuteRequest = z.infer<typeof sponsorExecuteRequest>;

export const sponsorExecuteResponse = z.object({ digest: z.string() });
export type SponsorExecuteResponse = z.infer<typeof sponsorExecuteResponse>;
