import { createHmac } from 'node:crypto';

/**
 * The value with which `GET /health` of a sidecar proves that it has `token`, without revealing it: hex
 * HMAC-SHA-256(token, "memrelay-sidecar-v1").
 */
export function sidecarTokenProof(token: string): string {
  return createHmac('sha256', token).update('memrelay-sidecar-v1').digest('hex');
}
