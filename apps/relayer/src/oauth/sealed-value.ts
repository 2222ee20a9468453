import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Values that a client carries for us and can neither read nor change, so that a request of somebody unknown needs no row.
 * `kind` keeps one sort from passing for another.
 */
export interface SealedValues {
  seal(kind: string, value: unknown): string;
  /** Undefined for anything that was not sealed here as this kind */
  open(kind: string, text: string): unknown;
}

const nonceLength = 12;
const tagLength = 16;

export function createSealedValues(key: Uint8Array): SealedValues {
  return {
    seal(kind, value) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
      cipher.setAAD(Buffer.from(kind));
      const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
    },
    open(kind, text) {
      if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      // Characters that say nothing could else be changed
      if (bytes.length < nonceLength + tagLength || bytes.toString('base64url') !== text) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength), {
        authTagLength: tagLength,
      });
      decipher.setAAD(Buffer.from(kind)).setAuthTag(bytes.subarray(-tagLength));
      try {
        const opened = Buffer.concat([
          decipher.update(bytes.subarray(nonceLength, -tagLength)),
          decipher.final(),
        ]);
        return JSON.parse(opened.toString('utf8')) as unknown;
      } catch {
        return undefined;
      }
    },
  };
}
