/** What goes to a thread that opens envelopes, and what comes back: structured-clone data only. */

export interface OpenTask {
  /** Unwrapped private keys, 32 bytes each; zeroed by the thread when it is done */
  keys: readonly Uint8Array[];
  /** Ed25519 keys that are believed, hex */
  trustedSigners: readonly string[];
  envelopes: readonly OpenItem[];
}

export interface OpenItem {
  bytes: Uint8Array;
  /** Position in `keys` */
  key: number;
  /** The index row that led here, when there is one */
  row: { envelopeId: Uint8Array; sha256: Uint8Array } | undefined;
}

export type OpenResult =
  | {
      ok: true;
      text: Uint8Array;
      createdAt: string;
      importance: number | undefined;
      supersedes: string[] | undefined;
      signer: string;
    }
  /** The rule of the reader that did not hold */
  | { ok: false; reason: string };
