import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The dashboard of the local system, for whoever may read the data directory: where it is, and the secret of this start.
 * From the secret come pairing codes, each good for one browser tab, which lets that tab use the local wallet.
 */
export interface LocalDashboard {
  /** e.g. `http://127.0.0.1:5173` */
  url: string;
  /** The relayer beside it */
  relayerUrl?: string;
  /** 64 hex digits, another one after each start */
  token: string;
}

const nonceLength = 16;
const macStart = 20;
const codeLength = 36;
const label = 'memrelay-pairing-v1';
/** For a code that is good as long as this start is. */
const noEnd = 0xffff_ffff;

export function localDashboardPath(dataDir: string): string {
  return join(dataDir, 'dashboard.json');
}

/** The running dashboard, or undefined when there is none (or none that this user may read of). */
export async function readLocalDashboard(dataDir: string): Promise<LocalDashboard | undefined> {
  try {
    const text = await readFile(localDashboardPath(dataDir), 'utf8');
    const { url, relayerUrl, token } = JSON.parse(text) as LocalDashboard;
    if (!isUrl(url) || !/^[0-9a-f]{64}$/.test(token)) return undefined;
    return { url, ...(isUrl(relayerUrl) ? { relayerUrl } : {}), token };
  } catch {
    return undefined;
  }
}

/** base64url(nonce 16 ‖ Unix seconds u32 ‖ HMAC-SHA-256(token, label ‖ nonce ‖ seconds), 16 of its bytes). */
export function newPairingCode(token: string, expiresAt?: Date): string {
  const head = Buffer.alloc(macStart);
  randomBytes(nonceLength).copy(head);
  head.writeUInt32BE(expiresAt ? Math.ceil(expiresAt.getTime() / 1000) : noEnd, nonceLength);
  return Buffer.concat([head, mac(token, head)]).toString('base64url');
}

/** The nonce of a code of this token whose time is not over, for the caller to take each one once; else undefined. */
export function pairingNonce(token: string, code: string, now = Date.now()): string | undefined {
  const bytes = Buffer.from(code, 'base64url');
  if (bytes.length !== codeLength) return undefined;
  const head = bytes.subarray(0, macStart);
  if (!timingSafeEqual(mac(token, head), bytes.subarray(macStart))) return undefined;
  if (head.readUInt32BE(nonceLength) * 1000 < now) return undefined;
  return head.toString('hex', 0, nonceLength);
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
