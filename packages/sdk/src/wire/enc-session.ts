import { toBase64, toHex } from '@memrelay/protocol/bytes';
import { type EncSession, sessionMessage } from '@memrelay/protocol/enc-session';
import { encodeUleb128 } from '@memrelay/protocol/uleb128';
import { blake2b } from '@noble/hashes/blake2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { encodeBech32 } from './bech32.ts';
import type { Clock } from './clock.ts';
import { ed25519PublicKey } from './ed25519-public-key.ts';
import type { Signer } from './signer.ts';
import type { SessionCache } from './types.ts';

/** Sui's number for Ed25519, first byte of an address preimage, a signature and an exported key. */
const ed25519Flag = 0x00;

/** At most 30. Short, because anyone with the header can read with it until it expires. */
const ttlMinutes = 10;
/** Key servers refuse a session that starts even a millisecond in their future, and clocks differ slightly. */
const backdateMs = 30_000;
/** A session is replaced this long before it expires, because a recall may still be decrypting. */
const renewEarlyMs = 90_000;

/** Makes the `x-enc-session` header. */
export interface SessionSource {
  /** Returns the header for this package; the same one until shortly before it expires. */
  header(packageId: string): Promise<string>;
  /** Drops the current session, e.g. after the clock was corrected. */
  reset(): void;
  /** Call when the client is destroyed; a shared session is kept. */
  release(): void;
}

/** The package, start and lifetime of a session. */
export interface SessionTerms {
  packageId: string;
  creationTimeMs: number;
  /** 1–30 */
  ttlMin: number;
}

export function createSessionSource(signer: Signer, clock: Clock, shared?: SessionCache): SessionSource {
  return cachedSessions(clock, ttlMinutes, (terms) => createEncSession({ signer, ...terms }), shared);
}

/** Caches each session that `make` creates until shortly before it expires; concurrent callers share it. */
export function cachedSessions(
  clock: Clock,
  ttlMin: number,
  make: (terms: SessionTerms) => Promise<EncSession>,
  shared?: SessionCache,
): SessionSource {
  const cache = shared ?? {};
  return {
    header(packageId) {
      const { current } = cache;
      if (current && current.packageId === packageId && clock.now() < current.renewAt) return current.header;
      const creationTimeMs = Math.floor(clock.now()) - backdateMs;
      const cached = {
        packageId,
        renewAt: creationTimeMs + ttlMin * 60_000 - renewEarlyMs,
        header: make({ packageId, creationTimeMs, ttlMin }).then((session) =>
          toBase64(new TextEncoder().encode(JSON.stringify(session))),
        ),
      };
      cache.current = cached;
      cached.header.catch(() => {
        if (cache.current === cached) cache.current = undefined;
      });
      return cached.header;
    },
    reset() {
      cache.current = undefined;
    },
    release() {
      if (!shared) cache.current = undefined;
    },
  };
}

/**
 * A session as Seal's `SessionKey.export()` returns it: a fresh Ed25519 key that the delegate key vouches for.
 * `packageId` must be `0x` and 64 lower-case hex characters, as key servers write it into the signed text.
 */
export async function createEncSession({
  signer,
  ...terms
}: SessionTerms & { signer: Signer }): Promise<EncSession> {
  return sessionSignedBy(suiAddress(signer.publicKey), terms, (message) =>
    signPersonalMessage(signer, message),
  );
}

/** Like `createEncSession`, for any signer of personal messages; `sign` returns Sui's signature in base64. */
export async function sessionSignedBy(
  address: string,
  terms: SessionTerms,
  sign: (message: Uint8Array) => Promise<string>,
): Promise<EncSession> {
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const text = sessionMessage({ ...terms, sessionPublicKey: toBase64(ed25519PublicKey(seed)) });
  const session: EncSession = {
    address,
    ...terms,
    personalMessageSignature: await sign(new TextEncoder().encode(text)),
    sessionKey: encodeBech32('suiprivkey', concatBytes(Uint8Array.of(ed25519Flag), seed)),
  };
  seed.fill(0);
  return session;
}

/** The chain address of an Ed25519 public key. */
export function suiAddress(publicKey: Uint8Array): string {
  const preimage = concatBytes(Uint8Array.of(ed25519Flag), publicKey);
  return `0x${toHex(blake2b(preimage, { dkLen: 32 }))}`;
}

/** Sui's personal-message signature in base64: flag, signature, public key. */
async function signPersonalMessage(signer: Signer, message: Uint8Array): Promise<string> {
  /** Intent of a personal message: scope 3, version 0, app 0 */
  const intent = Uint8Array.of(3, 0, 0);
  const signable = concatBytes(intent, Uint8Array.from(encodeUleb128(message.length)), message);
  const signature = await signer.sign(blake2b(signable, { dkLen: 32 }));
  return toBase64(concatBytes(Uint8Array.of(ed25519Flag), signature, signer.publicKey));
}
