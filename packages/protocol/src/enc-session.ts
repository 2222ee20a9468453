/**
 * The `x-enc-session` header: base64 of this JSON, the export of a Seal session key
 * (decisions.md, "Authentication").
 */
export interface EncSession {
  address: string;
  packageId: string;
  mvrName?: string | null;
  creationTimeMs: number;
  /** 1–30 */
  ttlMin: number;
  /** Sui personal-message signature, base64 */
  personalMessageSignature: string;
  /** `suiprivkey1…` of the session's Ed25519 key */
  sessionKey: string;
}

export const sessionTtlMinutes = { min: 1, max: 30 } as const;

/**
 * The text that a wallet or delegate key signs to open a session. Seal's key servers rebuild the same text.
 * `creationTimeMs` is shown in UTC to the second; `sessionPublicKey` is the raw key in base64.
 */
export function sessionMessage(session: {
  packageId: string;
  ttlMin: number;
  creationTimeMs: number;
  sessionPublicKey: string;
}): string {
  const time = `${new Date(session.creationTimeMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return `Accessing keys of package ${session.packageId} for ${session.ttlMin} mins from ${time}, session key ${session.sessionPublicKey}`;
}
