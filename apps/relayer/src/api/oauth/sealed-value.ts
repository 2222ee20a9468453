import { openBytes, sealBytes } from '../../base/sealed-bytes.ts';

/**
 * Sealed values that a client holds for the relayer but can neither read nor change, so that requests of unknown
 * clients need no database row. A value opens only as the `kind` it was sealed as.
 */
export interface SealedValues {
  seal(kind: string, value: unknown): string;
  /** Undefined for anything that was not sealed here as this kind */
  open(kind: string, text: string): unknown;
}

export function createSealedValues(key: Uint8Array): SealedValues {
  return {
    seal: (kind, value) =>
      sealBytes(key, Buffer.from(kind), Buffer.from(JSON.stringify(value))).toString('base64url'),
    open(kind, text) {
      if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      // Reject other encodings of the same bytes: the unused bits of the last character could be changed
      if (bytes.toString('base64url') !== text) return undefined;
      const opened = openBytes(key, Buffer.from(kind), bytes);
      return opened && (JSON.parse(opened.toString('utf8')) as unknown);
    },
  };
}
