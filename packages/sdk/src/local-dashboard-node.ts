import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hex32Pattern } from '@memrelay/protocol/bytes';

/**
 * The dashboard of the local system, for users that may read the data directory: its URL, and the secret of this run. Pairing
 * codes are derived from the secret; each lets one browser tab use the local wallet.
 */
export interface LocalDashboard {
  /** e.g. `http://127.0.0.1:5173` */
  url: string;
  /** The relayer of the same system */
  relayerUrl?: string;
  blobstoreUrl?: string;
  chainUrl?: string;
  /** 64 hex digits; changes with each start */
  token: string;
}

const nonceLength = 16;
const macStart = 20;
const codeLength = 36;
const label = 'memrelay-pairing-v1';

export function localDashboardPath(dataDir: string): string {
  return join(dataDir, 'dashboard.json');
}

/** The running dashboard, or undefined if there is none that this user may access. */
export async function readLocalDashboard(dataDir: string): Promise<LocalDashboard | undefined> {
  try {
    const text = await readFile(localDashboardPath(dataDir), 'utf8');
    const { url, relayerUrl, blobstoreUrl, chainUrl, token } = JSON.parse(text) as LocalDashboard;
    if (!isUrl(url) || !hex32Pattern.test(token)) return undefined;
    return {
      url,
      ...(isUrl(relayerUrl) ? { relayerUrl } : {}),
      ...(isUrl(blobstoreUrl) ? { blobstoreUrl } : {}),
      ...(isUrl(chainUrl) ? { chainUrl } : {}),
      token,
    };
  } catch {
    return undefined;
  }
}

/** base64url(nonce 16 ‖ Unix seconds u32 ‖ HMAC-SHA-256(token, label ‖ nonce ‖ seconds), 16 of its bytes). */
export function newPairingCode(token: string, expiresAt: Date): string {
  const head = Buffer.alloc(macStart);
  randomBytes(nonceLength).copy(head);
  head.writeUInt32BE(Math.ceil(expiresAt.getTime() / 1000), nonceLength);
  return Buffer.concat([head, mac(token, head)]).toString('base64url');
}

/**
 * The nonce of a code of this token, so that the caller accepts each code once; `expired` for an expired code,
 * undefined for anything else.
 */
export function pairingNonce(
  token: string,
  code: string,
  now = Date.now(),
): { nonce: string } | 'expired' | undefined {
  const bytes = Buffer.from(code, 'base64url');
  if (bytes.length !== codeLength) return undefined;
  const head = bytes.subarray(0, macStart);
  if (!timingSafeEqual(mac(token, head), bytes.subarray(macStart))) return undefined;
  if (head.readUInt32BE(nonceLength) * 1000 < now) return 'expired';
  return { nonce: head.toString('hex', 0, nonceLength) };
}

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value);
}

function mac(token: string, head: Buffer): Buffer {
  return createHmac('sha256', Buffer.from(token, 'hex'))
    .update(label)
    .update(head)
    .digest()
    .subarray(0, codeLength - macStart);
}
