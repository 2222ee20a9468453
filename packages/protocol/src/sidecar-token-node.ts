import { createHmac } from 'node:crypto';

/**
 * What `GET /health` of a sidecar says to show that it holds `token`, without giving it away: hex
 * HMAC-SHA-256(token, "memrelay-sidecar-v1").
 */
export function sidecarTokenProof(token: string): string {
  return createHmac('sha256', token).update('memrelay-sidecar-v1').digest('hex');
}
