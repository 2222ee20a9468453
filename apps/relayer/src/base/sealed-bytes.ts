import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceLength = 12;
const tagLength = 16;

/** AES-256-GCM: nonce 12 ‖ ciphertext ‖ tag 16. */
export function sealBytes(key: Uint8Array, additionalData: Uint8Array, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  cipher.setAAD(additionalData);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts sealed bytes; undefined if the key or additional data differ, or the bytes were changed. */
export function openBytes(key: Uint8Array, additionalData: Uint8Array, sealed: Buffer): Buffer | undefined {
  if (sealed.length < nonceLength + tagLength) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(additionalData).setAuthTag(sealed.subarray(-tagLength));
  const opened = decipher.update(sealed.subarray(nonceLength, -tagLength));
  try {
    decipher.final();
    return opened;
  } catch {
    opened.fill(0);
    return undefined;
  }
}
