import { createHmac } from 'node:crypto';

/**
 * The proof in `GET /health` that a sidecar has `token`, without revealing the token: hex
 * HMAC-SHA-256(token, "memrelay-sidecar-v1").
 */
export function sidecarTokenProof(token: string): string {
  return createHmac('sha256', token).update('memrelay-sidecar-v1').digest('hex');
}
