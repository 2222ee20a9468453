import { z } from 'zod';
import { openFailure, reader } from './sidecar-api.ts';

/**
 * `POST /keys/export` of the sidecar: private keys are opened with the credential, compared with their public halves and
 * sealed to a key of the caller's, in the form of a recovery wrap, so that the relayer never holds one.
 */

const hex32 = z.string().regex(/^[0-9a-f]{64}$/);

export const exportKeysRequest = reader.extend({
  /** Whom they are sealed to */
  to: hex32,
  keys: z
    .array(
      z.object({
        /** Namespace tag, 16 bytes hex */
        tag: z.string().regex(/^[0-9a-f]{32}$/),
        key_epoch: z.number().int().min(0),
        recipient_pk: hex32,
        wraps: z
          .array(z.object({ type: z.number().int().min(0).max(255), bytes: z.base64() }))
          .min(1)
          // Those of an envelope, and a later one
          .max(5),
      }),
    )
    // None: only the credential is checked
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
