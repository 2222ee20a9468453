/** A fresh public half, and the secret shared with the other side. */
export interface X25519Exchange {
  enc: Uint8Array;
  secret: Uint8Array | undefined;
}

/**
 * The cryptography that the format needs, as one synchronous interface, so that every other file runs in Node
 * (`node-primitives.ts`) and in browsers (`portable-primitives.ts`). Both return the same results for every input, including
 * hostile input. HKDF is built from HMAC in `hkdf.ts`.
 */
export interface Primitives {
  /** At most 65,536 cryptographically random bytes. Vectors inject fixed ones here. */
  randomBytes(length: number): Uint8Array;

  /** SHA-256 of the concatenated parts. */
  sha256(...parts: readonly Uint8Array[]): Uint8Array;

  /** HMAC-SHA-256 of the concatenated parts. */
  hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array;

  /** AES-GCM (128 or 256 by key length), 12-byte nonce. Returns ciphertext ‖ 16-byte tag. */
  aesGcmSeal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Uint8Array;

  /** Returns the plaintext, or `undefined` if the tag is invalid. */
  aesGcmOpen(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array | undefined;

  x25519PublicKey(privateKey: Uint8Array): Uint8Array;

  /** Returns the shared secret, or `undefined` when it is all zero (a public key of small order; RFC 9180 §7.1.4). */
  x25519SharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined;

  /**
   * Makes a key pair for one exchange with `publicKey`, without its private half ever leaving the library. Returns its public
   * half and the shared secret, which is `undefined` as above. If absent, `hpke.ts` makes the pair from `randomBytes`.
   */
  x25519Exchange?: ((publicKey: Uint8Array) => X25519Exchange) | undefined;

  /** `seed` is the 32-byte RFC 8032 private key. */
  ed25519PublicKey(seed: Uint8Array): Uint8Array;
  ed25519Sign(seed: Uint8Array, message: Uint8Array): Uint8Array;

  /**
   * Strict: the cofactorless equation of RFC 8032 §5.1.7 on exact bytes, S < L, canonical public key not of small
   * order. Never throws.
   */
  ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}
