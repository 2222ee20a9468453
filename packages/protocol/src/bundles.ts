import { z } from 'zod';
import { exportLimit, importItems } from './bundle-limits.ts';
import { hex32Pattern } from './bytes.ts';
import { limitField, namespaceField } from './fields.ts';

/**
 * `POST /api/export` and `POST /api/import` (decisions.md, "Routes beyond the spec"): the server side of bundles. Each call
 * handles a part of limited size. Clients write and read the bundle itself (docs/export-and-import.md).
 */

const hex32 = z.string().regex(hex32Pattern, 'must be 64 lower-case hex digits');

export interface ExportRequest {
  /** If omitted: every namespace in the signer's scope */
  namespace?: string | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
  limit: number;
  /** X25519 public key that the caller made for this export. Data keys leave the sidecar only sealed to it */
  recipient_pk: string;
}

export const exportRequest = z.object({
  namespace: namespaceField.optional(),
  cursor: z.string().max(512).optional(),
  limit: limitField(exportLimit),
  recipient_pk: hex32,
}) satisfies z.ZodType<ExportRequest>;

/** Vectors of one memory without the keyed map: concatenated chunks of 32-bit floats, little-endian, in base64 */
export interface BareVectors {
  model: string;
  values: string[];
}

export interface ExportedMemory {
  id: string;
  namespace: string;
  created_at: string;
  importance: number;
  /** Base64 */
  envelope: string;
  /** Absent if the memory has no vectors of the server's current model */
  vectors?: BareVectors;
}

/** The private half of a pair that memories on this page are sealed to. */
export interface ExportedKey {
  /** Public half of the pair, 64 hex digits */
  recipient_pk: string;
  /** In the form of a recovery wrap: HPKE to the `recipient_pk` of the request; base64 */
  sealed: string;
}

export interface ExportResponse {
  /** Newest first */
  memories: ExportedMemory[];
  keys: ExportedKey[];
  /** Memories that cannot be exported, and why */
  failed: { id: string; blob_id?: string; reason: string }[];
  /** Trusted writers of this account on this server: Ed25519 keys, hex */
  trusted_writers: string[];
  /** Present when there are more */
  next_cursor?: string;
}

export interface ImportRequest {
  memories: {
    /** Base64 */
    envelope: string;
    /** Opens only this envelope: the X25519 shared secret of its `enc` and its key, 64 hex digits */
    secret: string;
    importance?: number | undefined;
    /** Used if the model is the server's own; otherwise the text is re-embedded */
    vectors?: BareVectors | undefined;
  }[];
  /** Writers to trust in addition to the keys of the caller's account and this server: Ed25519 keys in hex */
  trusted_writers?: string[] | undefined;
}

export const importRequest = z.object({
  memories: z
    .array(
      z.object({
        envelope: z.base64().min(1).max(2_000_000),
        secret: hex32,
        importance: z.number().min(-1e9).max(1e9).optional(),
        vectors: z
          .object({ model: z.string().min(1).max(256), values: z.array(z.base64()).min(1).max(1_000) })
          .optional(),
      }),
    )
    .min(1)
    .max(importItems),
  trusted_writers: z.array(hex32).max(200).optional(),
}) satisfies z.ZodType<ImportRequest>;

/** In the order of the request. */
export type ImportResult =
  | { status: 'running'; job_id: string }
  /** This namespace already stores the text, as the memory with this id */
  | { status: 'known'; id: string }
  /** Not signed by a trusted writer: not stored */
  | { status: 'unverified'; signer: string }
  | { status: 'failed'; reason: string };

export interface ImportResponse {
  results: ImportResult[];
  /** Jobs of the memories whose status is `running` */
  job_ids: string[];
  owner: string;
}
