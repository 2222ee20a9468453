import { openBytes, sealBytes } from './sealed-bytes.ts';

/**
 * Values that a client carries for us and can neither read nor change, so that requests of unknown clients need no row.
 * `kind` keeps one sort from passing for another.
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
      // Characters that say nothing could else be changed
      if (bytes.toString('base64url') !== text) return undefined;
      const opened = openBytes(key, Buffer.from(kind), bytes);
      return opened && (JSON.parse(opened.toString('utf8')) as unknown);
    },
  };
}
