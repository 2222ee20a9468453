import { z } from 'zod';
import { hex32, openFailure, reader, wrappedKey } from './sidecar-api.ts';

/**
 * `POST /keys/export` of the sidecar: private keys are opened with the credential, compared with their public halves and
 * sealed to a key of the caller's, in the form of a recovery wrap, so that the relayer never holds one.
 */

export const exportKeysRequest = reader.extend({
  /** The caller's X25519 public key, to which the private keys are sealed */
  to: hex32,
  keys: z
    .array(
      // Up to four wraps of an envelope, and a later rewrap
      wrappedKey(5),
    )
    // An empty list only checks the credential
    .max(100),
});
export type ExportKeysRequest = z.infer<typeof exportKeysRequest>;

export const exportKeysResponse = z.object({
  /** In the order of the request */
  keys: z.array(
    z.union([
      z.object({ ok: z.literal(true), sealed: z.base64() }),
      z.object({ ok: z.literal(false), failure: openFailure, reason: z.string() }),
    ]),
  ),
});
export type ExportKeysResponse = z.infer<typeof exportKeysResponse>;
