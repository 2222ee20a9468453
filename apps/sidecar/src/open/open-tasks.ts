import type { EnvelopeContext } from '@memrelay/envelope/meta';
import type { Envelope } from '@memrelay/envelope/open-envelope';

/** Tasks and results of the threads that open envelopes: structured-clone data only. */

export interface OpenTask {
  /** Unwrapped private keys, 32 bytes each; zeroed by the thread at the end */
  keys: readonly Uint8Array[];
  /** Ed25519 keys whose signatures are trusted, hex */
  trustedSigners: readonly string[];
  envelopes: readonly OpenItem[];
}

export interface OpenItem {
  /** Its header has been checked against the request */
  envelope: Envelope;
  /** Position in `keys` */
  key: number;
  /** The index row of this envelope, if there is one */
  row: { envelopeId: Uint8Array; sha256: Uint8Array } | undefined;
}

export type OpenResult =
  | {
      ok: true;
      text: Uint8Array;
      createdAt: string;
      importance: number | undefined;
      supersedes: string[] | undefined;
      context: EnvelopeContext | undefined;
      signer: string;
    }
  /** `reason`: the reader's rule that was violated */
  | { ok: false; reason: string };
